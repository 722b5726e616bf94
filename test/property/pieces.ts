import * as fc from 'fast-check';

/** Draws how a stream is cut: the lengths of its pieces, over and over; none leaves it whole. */
export const pieces: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constant([]),
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
  fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 }),
);

/** Returns bytes in pieces of these lengths; all of them in one piece when there are no lengths. */
export function cutInPieces(bytes: Uint8Array, lengths: readonly number[]): readonly Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? bytes.length;
    // A copy, so that a reader that keeps a view is seen.
    cut.push(Buffer.from(bytes.subarray(at, at + length)));
    at += length;
  }
  return cut;
}
