import path from 'node:path';
import { deserialize } from 'node:v8';

import { systemClock } from '../base/clock.ts';
import { Unavailable } from '../base/errors.ts';
import { createReason } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import { runInChild } from '../base/process/run-in-child.ts';
import { runInSlices } from '../base/slices.ts';
import type { Slices } from '../base/slices.ts';
import { YAML_FAULTS } from './fault-sentences.ts';
import type { YamlCache } from './yaml-cache.ts';
import { MAXIMUM_YAML_BYTES, parseYaml, refuseTooLong, START, YamlError } from './yaml-document.ts';
import type { YamlDocument } from './yaml-document.ts';
import type { Position } from './yaml-positions.ts';

/** Response of the child process. */
export type YamlAnswer =
  | { readonly document: YamlDocument }
  | { readonly fault: { readonly position: Position; readonly reason: FaultReason } };

/** Maximum size of a text parsed in this process; it blocks the event loop for less than a second. */
export const INLINE_BYTES = 65_536;

// The parser needs about a kilobyte for each value.
const HEAP_MIB = 384;
// Far above what fits: refuses most oversized texts without starting a child process.
const MAXIMUM_MARKS = 1_000_000;
const MARKS = /[,\n[{]/;
const IS_MARK = Uint8Array.from({ length: 256 }, (_, byte) =>
  MARKS.test(String.fromCharCode(byte)) ? 1 : 0,
);
const MARKED_AT_ONCE = 65_536;
const TIME_LIMIT_MS = 60_000;
const MAXIMUM_ANSWER_BYTES = 268_435_456;
const TOO_MUCH = createReason(YAML_FAULTS, 'YAML_TOO_LARGE', {});

const MAXIMUM_WAITING = 8;

/**
 * Parses texts as {@link parseYaml} does. Long texts are parsed one at a time in a child process with memory and time
 * limits. One reader per process, because all share the memory of the machine.
 */
export class YamlReader {
  readonly #parsed: YamlCache | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param parsed cache of parsed files; absent: no cache */
  constructor(parsed?: YamlCache) {
    this.#parsed = parsed;
  }

  /**
   * Parses one text.
   *
   * @throws {YamlError} as `parseYaml`, and for too many values
   * @throws {Unavailable} `YAML_QUEUE_FULL` if too many long texts are queued
   */
  async read(bytes: Uint8Array): Promise<YamlDocument> {
    return this.#read(bytes, undefined);
  }

  /** Parses a configuration file, using the cache for the next start; throws like `read`. */
  async readFile(bytes: Uint8Array): Promise<YamlDocument> {
    return this.#read(bytes, this.#parsed);
  }

  /** Removes cache entries not used since the last call. */
  async forgetOtherFiles(): Promise<void> {
    await this.#parsed?.removeUnused();
  }

  async #read(bytes: Uint8Array, parsed: YamlCache | undefined): Promise<YamlDocument> {
    if (bytes.length <= INLINE_BYTES) return parseYaml(bytes);
    if (bytes.length > MAXIMUM_YAML_BYTES) throw refuseTooLong();
    if (await runInSlices(hasTooManyMarks(bytes), systemClock)) throw new YamlError(START, TOO_MUCH);
    const answer = await this.#inTurn(() => ask(bytes, parsed));
    if ('document' in answer) return answer.document;
    throw new YamlError(answer.fault.position, answer.fault.reason);
  }

  async #inTurn<T>(action: () => Promise<T>): Promise<T> {
    if (this.#waiting === MAXIMUM_WAITING) {
      const detail = 'too many long texts are queued';
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

function* hasTooManyMarks(bytes: Uint8Array): Slices<boolean> {
  let marks = 0;
  for (let first = 0; first < bytes.length; first += MARKED_AT_ONCE) {
    for (const byte of bytes.subarray(first, first + MARKED_AT_ONCE)) marks += IS_MARK[byte] ?? 0;
    yield;
  }
  return marks > MAXIMUM_MARKS;
}

async function ask(bytes: Uint8Array, parsed: YamlCache | undefined): Promise<YamlAnswer> {
  const stored = await parsed?.find(bytes);
  if (stored !== undefined) return deserialize(stored) as YamlAnswer;
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
  if ('document' in read) await parsed?.store(bytes, answer);
  return read;
}
