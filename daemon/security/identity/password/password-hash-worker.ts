import { argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

import { lowerPriority } from '../../../base/process/lower-priority.ts';
import type { HashAnswer, HashRequest } from './password-hash-thread.ts';

// All other threads of the machine take precedence, but a login still has a share of a busy core.
const NICE = 15;

// On Linux, "process 0" is only the calling thread (setpriority(2), C library differences); elsewhere this would slow down the
// whole gateway.
if (process.platform === 'linux') lowerPriority(0, NICE);
parentPort?.on('message', (request: HashRequest) => {
  const answer = derive(request);
  parentPort?.postMessage(answer, answer.tag === undefined ? [] : [answer.tag.buffer]);
});

function derive({ password, salt, tagLength, memoryKib, passes, parallelism }: HashRequest): HashAnswer {
  try {
    const options = { message: password, nonce: salt, memory: memoryKib, passes, parallelism, tagLength };
    return { tag: Uint8Array.from(argon2Sync('argon2id', options)) };
  } catch (error) {
    // Report only the code; the message could contain the password.
    const { code } = error as { code?: unknown };
    return { failure: typeof code === 'string' ? code : 'unknown' };
  } finally {
    password.fill(0);
  }
}
