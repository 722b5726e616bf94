import path from 'node:path';
import { deserialize } from 'node:v8';

import { systemClock } from '../base/clock.ts';
import { Unavailable } from '../base/errors.ts';
import { runInChild } from '../base/process/run-in-child.ts';
import type { YamlCache } from './yaml-cache.ts';
import { MAXIMUM_YAML_BYTES, parseYaml, START, YamlError } from './yaml-document.ts';
import type { YamlDocument } from './yaml-document.ts';
import type { Position } from './yaml-positions.ts';

/** The answer of the child. */
export type YamlAnswer =
  | { readonly document: YamlDocument }
  | { readonly fault: { readonly position: Position; readonly reason: string } };

/** Longest text that is parsed in this process: it blocks the event loop for a fraction of a second at most. */
export const INLINE_BYTES = 65_536;

// The parser needs about a kilobyte for each value.
const HEAP_MIB = 384;
// Far more than fits, so that most hopeless texts are refused without starting a child.
const MAXIMUM_MARKS = 1_000_000;
const MARKS = /[,\n[{]/;
const IS_MARK = Uint8Array.from({ length: 256 }, (_, byte) =>
  MARKS.test(String.fromCharCode(byte)) ? 1 : 0,
);
const TIME_LIMIT_MS = 60_000;
const MAXIMUM_ANSWER_BYTES = 268_435_456;
const TOO_MUCH = 'this is too much to be read as one text; cut it into several files';

const MAXIMUM_WAITING = 8;

/**
 * Reads texts as {@link parseYaml} does. Parses a long one in a child process with bounds in memory and time, one at a time;
 * a process has one reader, because the memory of the machine is shared.
 */
export class YamlReader {
  readonly #parsed: YamlCache | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param parsed what long files were read as earlier; absent: nothing is kept */
  constructor(parsed?: YamlCache) {
    this.#parsed = parsed;
  }

  /**
   * Reads one text.
   *
   * @throws {YamlError} as `parseYaml`, and for a text with too many values
   * @throws {Unavailable} `YAML_QUEUE_FULL` while too many long texts wait
   */
  async read(bytes: Uint8Array): Promise<YamlDocument> {
    return this.#read(bytes, undefined);
  }

  /** Reads the text of a file of the configuration, which the next start reads again; throws like `read`. */
  async readFile(bytes: Uint8Array): Promise<YamlDocument> {
    return this.#read(bytes, this.#parsed);
  }

  /** Forgets what files had whose text was not read since the last call. */
  async forgetOtherFiles(): Promise<void> {
    await this.#parsed?.forgetOthers();
  }

  async #read(bytes: Uint8Array, parsed: YamlCache | undefined): Promise<YamlDocument> {
    if (bytes.length <= INLINE_BYTES) return parseYaml(bytes);
    if (bytes.length > MAXIMUM_YAML_BYTES)
      throw new YamlError(START, `longer than ${MAXIMUM_YAML_BYTES} bytes`);
    if (hasTooManyMarks(bytes)) throw new YamlError(START, TOO_MUCH);
    const answer = await this.#inTurn(() => ask(bytes, parsed));
    if ('document' in answer) return answer.document;
    throw new YamlError(answer.fault.position, answer.fault.reason);
  }

  async #inTurn<T>(action: () => Promise<T>): Promise<T> {
    if (this.#waiting === MAXIMUM_WAITING) {
      const detail = 'too many long texts wait to be read';
      throw new Unavailable({ code: 'YAML_QUEUE_FULL', detail, retryAfterSeconds: 10 });
    }
    this.#waiting += 1;
    const running = this.#last.then(action);
    this.#last = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function hasTooManyMarks(bytes: Uint8Array): boolean {
  let marks = 0;
  for (const byte of bytes) marks += IS_MARK[byte] ?? 0;
  return marks > MAXIMUM_MARKS;
}

async function ask(bytes: Uint8Array, parsed: YamlCache | undefined): Promise<YamlAnswer> {
  const kept = await parsed?.find(bytes);
  if (kept !== undefined) return deserialize(kept) as YamlAnswer;
  const asking = runInChild({
    program: path.join(import.meta.dirname, 'yaml-process'),
    input: bytes,
    heapMib: HEAP_MIB,
    timeLimitMs: TIME_LIMIT_MS,
    maximumAnswerBytes: MAXIMUM_ANSWER_BYTES,
    clock: systemClock,
  });
  const answer = await asking.catch((cause: unknown) => {
    throw new YamlError(START, TOO_MUCH, cause);
  });
  const read = deserialize(answer) as YamlAnswer;
  if ('document' in read) await parsed?.keep(bytes, answer);
  return read;
}
