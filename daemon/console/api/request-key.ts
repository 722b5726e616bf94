/** Creates an idempotency key. */
export function makeRequestKey(): string {
  // Plain HTTP has no `randomUUID`.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
