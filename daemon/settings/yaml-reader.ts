import { execFile } from 'node:child_process';
import path from 'node:path';
import { deserialize } from 'node:v8';

import { Unavailable } from '../base/errors.ts';
import { MAXIMUM_YAML_BYTES, parseYaml, START, YamlError } from './yaml-document.ts';
import type { YamlDocument } from './yaml-document.ts';
import type { Position } from './yaml-positions.ts';

/** What the child answers. */
export type YamlAnswer =
  | { readonly document: YamlDocument }
  | { readonly fault: { readonly position: Position; readonly reason: string } };

/** Longest text that is parsed in this process: it holds everything up for a fraction of a second at most. */
export const INLINE_BYTES = 65_536;

// The parser needs about a kilobyte for each value.
const HEAP_MIB = 384;
// Far more than it takes, so that most of what is hopeless is refused without a try.
const MAXIMUM_MARKS = 1_000_000;
const MARKS = /[,\n[{]/;
const IS_MARK = Uint8Array.from({ length: 256 }, (_, byte) =>
  MARKS.test(String.fromCharCode(byte)) ? 1 : 0,
);
const TIME_LIMIT_MS = 60_000;
const MAXIMUM_ANSWER_BYTES = 268_435_456;
const TOO_MUCH = 'this is too much to be read as one text; cut it into several files';

// The memory of the machine is one, and so is the queue for it.
const MAXIMUM_WAITING = 8;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a text as {@link parseYaml} does. A long one is parsed in a process of its own, one at a time, which has bounds in memory
 * and time: whatever the text, this process goes on.
 *
 * @throws {YamlError} as `parseYaml`, and for a text with too many values
 * @throws {Unavailable} `YAML_QUEUE_FULL` while too many long texts wait
 */
export async function readYaml(bytes: Uint8Array): Promise<YamlDocument> {
  if (bytes.length <= INLINE_BYTES) return parseYaml(bytes);
  if (bytes.length > MAXIMUM_YAML_BYTES)
    throw new YamlError(START, `longer than ${MAXIMUM_YAML_BYTES} bytes`);
  if (hasTooManyMarks(bytes)) throw new YamlError(START, TOO_MUCH);
  if (waiting === MAXIMUM_WAITING) {
    const detail = 'too many long texts wait to be read';
    throw new Unavailable({ code: 'YAML_QUEUE_FULL', detail, retryAfterSeconds: 10 });
  }
  waiting += 1;
  const reading = last.then(() => ask(bytes));
  last = reading.catch(() => undefined);
  try {
    const answer = await reading;
    if ('document' in answer) return answer.document;
    throw new YamlError(answer.fault.position, answer.fault.reason);
  } finally {
    waiting -= 1;
  }
}

function hasTooManyMarks(bytes: Uint8Array): boolean {
  let marks = 0;
  for (const byte of bytes) marks += IS_MARK[byte] ?? 0;
  return marks > MAXIMUM_MARKS;
}

function ask(bytes: Uint8Array): Promise<YamlAnswer> {
  // The same extension as this file: .ts in a checkout, .js in the built package.
  const entry = path.join(import.meta.dirname, `yaml-process${path.extname(import.meta.filename)}`);
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [`--max-old-space-size=${HEAP_MIB}`, '--permission', '--allow-fs-read=*', entry],
      { env: {}, encoding: 'buffer', timeout: TIME_LIMIT_MS, maxBuffer: MAXIMUM_ANSWER_BYTES },
      (error, stdout) => {
        if (error === null) resolve(deserialize(stdout) as YamlAnswer);
        else reject(new YamlError(START, TOO_MUCH, error));
      },
    );
    // A child that has ended does not read; its exit status says more than this.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(bytes);
  });
}
