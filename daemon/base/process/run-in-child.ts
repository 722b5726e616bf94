import { execFile } from 'node:child_process';
import path from 'node:path';

import type { Clock } from '../clock.ts';
import { lowerPriority } from './lower-priority.ts';

/** One run of a program that reads its standard input to the end, writes one result to its standard output, and exits. */
export interface ChildRun {
  /** Absolute path of the program's file without extension. */
  readonly program: string;
  /** Passed to standard input: other users can read the arguments and the environment of a process. */
  readonly input: string | Uint8Array;
  /** Upper bound of the JavaScript heap; buffers lie outside of it. */
  readonly heapMib: number;
  readonly timeLimitMs: number;
  readonly maximumAnswerBytes: number;
  /** 1 to 19, the lowest priority; absent: 10. */
  readonly nice?: number;
  /** The only directory below which the child may write; absent: none. */
  readonly writableDirectory?: string;
  readonly clock: Pick<Clock, 'schedule'>;
  /** Ends the child. */
  readonly signal?: AbortSignal;
}

// A child that computes must not delay device reads; on a busy core it still receives a tenth.
const NICE = 10;

/** A child returned no result; callers convert this to an error of their own module. */
export class ChildFailure extends Error {
  /** `DIED` covers every exit that the caller did not cause, including one after too long a result. */
  readonly reason: 'ABORTED' | 'DIED' | 'TIMEOUT';

  constructor(reason: ChildFailure['reason'], cause?: unknown) {
    super(`a child process ended without an answer: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ChildFailure';
    this.reason = reason;
  }
}

/**
 * Runs one program of the gateway in a child process with bounds in memory, time and file access, so that no input can
 * harm this process. The child has an empty environment, a low priority, may read files, and may start no process.
 *
 * @returns the bytes that the child wrote
 * @throws {ChildFailure} after the child has ended
 */
export function runInChild(run: ChildRun): Promise<Buffer> {
  const { input, clock, signal, timeLimitMs, maximumAnswerBytes, nice = NICE } = run;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new ChildFailure('ABORTED'));
      return;
    }
    let stopped: ChildFailure | undefined;
    const child = execFile(
      process.execPath,
      listArguments(run),
      { env: {}, encoding: 'buffer', maxBuffer: maximumAnswerBytes, killSignal: 'SIGKILL' },
      (error, stdout) => {
        cancel();
        signal?.removeEventListener('abort', onAbort);
        if (stopped !== undefined) reject(stopped);
        else if (error !== null) reject(new ChildFailure('DIED', error));
        else resolve(stdout);
      },
    );
    function stop(reason: 'ABORTED' | 'TIMEOUT'): void {
      stopped ??= new ChildFailure(reason);
      child.kill('SIGKILL');
    }
    const onAbort = (): void => stop('ABORTED');
    signal?.addEventListener('abort', onAbort, { once: true });
    const cancel = clock.schedule(timeLimitMs, () => stop('TIMEOUT'));
    // A child that did not start has no id.
    if (child.pid !== undefined) lowerPriority(child.pid, nice);
    // A child that has exited does not read; its exit status is more useful than this error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function listArguments({ program, heapMib, writableDirectory }: ChildRun): readonly string[] {
  const write = writableDirectory === undefined ? [] : [`--allow-fs-write=${writableDirectory}/*`];
  // The same extension as this file: .ts in a checkout, .js in the built package.
  const file = `${program}${path.extname(import.meta.filename)}`;
  return [
    '--disable-sigusr1',
    `--max-old-space-size=${heapMib}`,
    '--permission',
    '--allow-fs-read=*',
    ...write,
    file,
  ];
}
