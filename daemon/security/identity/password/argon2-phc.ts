/** Cost parameters of a hash (RFC 9106, 3.1). */
export interface Argon2Cost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** A parsed argon2id hash. */
interface Argon2Hash extends Argon2Cost {
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

/** Minimum of the OWASP Password Storage Cheat Sheet for argon2id; a hash takes about 50 ms on a small gateway. */
export const DEFAULT_COST: Argon2Cost = { memoryKib: 19_456, passes: 2, parallelism: 1 };

// A stored hash must not require more memory or time than the gateway can afford.
const MAXIMUM_MEMORY_KIB = 262_144;
const MAXIMUM_PASSES = 16;
const MAXIMUM_PARALLELISM = 4;
const MAXIMUM_TEXT_LENGTH = 256;

// Version 19 is argon2 1.3, the only version in RFC 9106; the PHC string format omits the padding.
const PHC =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9])\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Formats a hash as PHC string. */
export function formatPhc({ memoryKib, passes, parallelism, salt, tag }: Argon2Hash): string {
  const cost = `m=${memoryKib},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${toBase64(salt)}$${toBase64(tag)}`;
}

/**
 * Parses a hash from a PHC string.
 *
 * @returns undefined for another algorithm or version, a cost above the limits of the gateway (256 MiB, 16 passes,
 *   4 lanes), or any other text
 */
export function readPhc(text: string): Argon2Hash | undefined {
  const [, memory, passes, parallelism, salt, tag] =
    text.length > MAXIMUM_TEXT_LENGTH ? [] : (PHC.exec(text) ?? []);
  if (salt === undefined || tag === undefined) return undefined;
  const hash: Argon2Hash = {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: fromBase64(salt),
    tag: fromBase64(tag),
  };
  return isWithinBounds(hash) ? hash : undefined;
}

/** Returns true if both have the same cost parameters. */
export function isSameCost(a: Argon2Cost, b: Argon2Cost): boolean {
  return a.memoryKib === b.memoryKib && a.passes === b.passes && a.parallelism === b.parallelism;
}

function isWithinBounds({ memoryKib, passes, parallelism }: Argon2Cost): boolean {
  return (
    memoryKib >= 8 * parallelism &&
    memoryKib <= MAXIMUM_MEMORY_KIB &&
    passes <= MAXIMUM_PASSES &&
    parallelism <= MAXIMUM_PARALLELISM
  );
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '');
}

function fromBase64(text: string): Uint8Array {
  // A copy, because a small Buffer shares a memory pool, which would be transferred to the thread as a whole.
  return Uint8Array.from(Buffer.from(text, 'base64'));
}
