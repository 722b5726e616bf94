import path from 'node:path';
import { Worker } from 'node:worker_threads';

import type { Argon2Cost } from './argon2-phc.ts';

/** One argon2id computation. */
export interface HashRequest extends Argon2Cost {
  /** UTF-8; transferred to the thread, which erases it. */
  readonly password: Uint8Array<ArrayBuffer>;
  readonly salt: Uint8Array;
  readonly tagLength: number;
}

/** Response of the thread: the result, or an error code. */
export type HashAnswer =
  | { readonly tag: Uint8Array<ArrayBuffer>; readonly failure?: undefined }
  | { readonly tag?: undefined; readonly failure: string };

/** A thread that computes one hash at a time. */
export interface HashThread {
  /** @throws if the computation fails or the thread exits first */
  derive(request: HashRequest): Promise<Uint8Array>;
  /** True while it accepts work. */
  isAlive(): boolean;
  /** Terminates the thread; a computation in progress is rejected. */
  end(): Promise<void>;
}

// The extension of this file distinguishes sources from built modules.
const WORKER = path.join(import.meta.dirname, `password-hash-worker${path.extname(import.meta.filename)}`);

// A hash uses memory outside of the heap. A young generation as large as that of the main thread would take 4 MiB unused.
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

/** Starts a low-priority thread, which keeps the process alive only while it computes. */
export function startHashThread(): HashThread {
  const worker = new Worker(WORKER, { name: 'password-hash', resourceLimits: HEAP_LIMITS });
  let settle: ((answer: HashAnswer | Error) => void) | undefined;
  let isAlive = true;
  function endWith(outcome: HashAnswer | Error): void {
    settle?.(outcome);
    settle = undefined;
  }
  worker.on('message', (answer: HashAnswer) => endWith(answer));
  worker.on('error', (error: unknown) => {
    isAlive = false;
    endWith(error instanceof Error ? error : new Error('the hashing thread failed'));
  });
  worker.on('exit', () => {
    isAlive = false;
    endWith(new Error('the hashing thread has exited'));
  });
  worker.unref();
  return {
    isAlive: () => isAlive,
    derive: (request) =>
      new Promise((resolve, reject) => {
        worker.ref();
        settle = (outcome) => {
          worker.unref();
          if (outcome instanceof Error) reject(outcome);
          else if (outcome.tag === undefined) reject(new Error(`argon2 failed: ${outcome.failure}`));
          else resolve(outcome.tag);
        };
        worker.postMessage(request, [request.password.buffer]);
      }),
    async end() {
      isAlive = false;
      await worker.terminate();
    },
  };
}
