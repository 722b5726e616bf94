import { argon2Sync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

import type { HashAnswer, HashRequest } from './password-hash-thread.ts';

// Every other thread of the machine takes precedence, but a login still gets its share of a busy core.
const NICE = 15;

lowerPriority();
parentPort?.on('message', (request: HashRequest) => {
  const answer = derive(request);
  parentPort?.postMessage(answer, answer.tag === undefined ? [] : [answer.tag.buffer]);
});

function derive({ password, salt, tagLength, memoryKib, passes, parallelism }: HashRequest): HashAnswer {
  try {
    const options = { message: password, nonce: salt, memory: memoryKib, passes, parallelism, tagLength };
    return { tag: Uint8Array.from(argon2Sync('argon2id', options)) };
  } catch (error) {
    // Only the code: a message could contain what was hashed.
    const { code } = error as { code?: unknown };
    return { failure: typeof code === 'string' ? code : 'unknown' };
  } finally {
    password.fill(0);
  }
}

function lowerPriority(): void {
  // On Linux "process 0" means the calling thread only (setpriority(2), C library differences); elsewhere it would
  // slow down the whole gateway.
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.max(NICE, getPriority(0)));
  } catch {
    // A sandbox may forbid it; a login at normal priority is better than none.
  }
}
