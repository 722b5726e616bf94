import { argon2Sync } from 'node:crypto';

import type { Clock } from '../../../daemon/base/clock.ts';
import type { Argon2Cost } from '../../../daemon/security/identity/password/argon2-phc.ts';
import type { HashThread } from '../../../daemon/security/identity/password/password-hash-thread.ts';

/** The least that argon2id can cost: in a world, time is not what the machine takes. */
export const TINY_COST: Argon2Cost = { memoryKib: 8, passes: 1, parallelism: 1 };

/**
 * Creates what starts threads that hash passwords in simulated time.
 *
 * @param hashMs how long one hash takes
 */
export function createHashThreads(time: Clock, hashMs: number): () => HashThread {
  return () => {
    let isAlive = true;
    let fail: ((error: Error) => void) | undefined;
    return {
      isAlive: () => isAlive,
      derive: ({ password, salt, tagLength, memoryKib, passes, parallelism }) =>
        new Promise((resolve, reject) => {
          const nonce = salt;
          const options = { message: password, nonce, memory: memoryKib, passes, parallelism, tagLength };
          const tag = Uint8Array.from(argon2Sync('argon2id', options));
          password.fill(0);
          const cancel = time.schedule(hashMs, () => {
            fail = undefined;
            resolve(tag);
          });
          fail = (error) => {
            cancel();
            reject(error);
          };
        }),
      end() {
        isAlive = false;
        fail?.(new Error('the thread has ended'));
        return Promise.resolve();
      },
    };
  };
}
