import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

let atWork = 0;
let isCounting = false;

/** Whether a thread of the machine computes something; the active resources of a process do not show it. */
export function hasThreadsAtWork(): boolean {
  return atWork > 0;
}

/**
 * Counts from now on the cryptographic work and the compression that the runtime gives to its threads, in this whole process; once is enough.
 *
 * Only one thread may exist (`UV_THREADPOOL_SIZE=1`), so that what was begun first ends first.
 */
export function countThreads(): void {
  if (isCounting) return;
  isCounting = true;
  for (const name of ['argon2', 'generateKeyPair', 'randomFill', 'scrypt', 'pbkdf2'] as const) {
    countCallbacks(crypto as unknown as Record<string, (...parameters: unknown[]) => unknown>, name);
  }
  for (const name of ['zstdCompress', 'zstdDecompress'] as const) {
    countCallbacks(zlib as unknown as Record<string, (...parameters: unknown[]) => unknown>, name);
  }
  syncBuiltinESMExports();
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Record<string, unknown>;
  for (const name of [
    'sign',
    'verify',
    'digest',
    'importKey',
    'exportKey',
    'generateKey',
    'encrypt',
    'decrypt',
  ]) {
    countPromises(subtle, name);
  }
}

function countCallbacks(owner: Record<string, (...parameters: unknown[]) => unknown>, name: string): void {
  const original = owner[name];
  if (original === undefined) return;
  owner[name] = (...parameters) => {
    const callback = parameters.at(-1);
    if (typeof callback !== 'function') return original(...parameters);
    atWork += 1;
    return original(...parameters.slice(0, -1), (...results: unknown[]) => {
      atWork -= 1;
      (callback as (...results: unknown[]) => void)(...results);
    });
  };
}

function countPromises(owner: Record<string, unknown>, name: string): void {
  const original = owner[name] as (...parameters: unknown[]) => Promise<unknown>;
  owner[name] = function count(this: unknown, ...parameters: unknown[]): Promise<unknown> {
    atWork += 1;
    return original.apply(this, parameters).finally(() => {
      atWork -= 1;
    });
  };
}
