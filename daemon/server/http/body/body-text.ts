import { isUtf8 } from 'node:buffer';

import { InvalidRequest } from '../../../base/errors.ts';
import type { Slices } from '../../../base/slices.ts';

// Either a code unit, or any other escape, so that the second backslash of \\u0000 begins none.
const ESCAPE = /\\(?:u([0-9a-f]{4})|[^])/gi;
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;
const SUSPICIOUS_LENGTH = 6;

/** Character of a JSON escape that texts must not contain. */
type RefusedEscape = 'NUL' | 'SURROGATE';

// Less than a millisecond.
const SLICE_BYTES = 0x1_0000;
const ESCAPES_OF_SLICE = 1000;
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);

/**
 * Decodes a body of UTF-8, without a byte order mark at its start.
 *
 * @throws {InvalidRequest} `BODY_NOT_UTF8`
 */
export function* decodeText(pieces: readonly Buffer[]): Slices<string> {
  return (yield* joinText(pieces)).toString();
}

/**
 * Joins the received pieces of a text of UTF-8, without a byte order mark at its start. Unlike a string made of pieces, which
 * its first use copies as a whole, it is copied piece by piece.
 *
 * @throws {InvalidRequest} `BODY_NOT_UTF8`
 */
export function* joinText(pieces: readonly Buffer[]): Slices<Buffer> {
  const [only = Buffer.alloc(0)] = pieces;
  const joined =
    pieces.length < 2 ? only : Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let checkedEnd = 0;
  let end = 0;
  for (const piece of pieces) {
    if (joined !== piece) piece.copy(joined, end);
    end += piece.length;
    const received = joined.subarray(checkedEnd, end);
    const whole = received.subarray(0, findLastCharacter(received));
    if (!isUtf8(whole)) throw notUtf8();
    checkedEnd += whole.length;
    yield;
  }
  if (!isUtf8(joined.subarray(checkedEnd, end))) throw notUtf8();
  return joined.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? joined.subarray(BYTE_ORDER_MARK.length)
    : joined;
}

function notUtf8(): InvalidRequest {
  return new InvalidRequest({ code: 'BODY_NOT_UTF8', detail: 'the body is not valid UTF-8' });
}

/** Returns the position of the last character, whose bytes may not all be there; the length if it has one byte. */
function findLastCharacter(bytes: Buffer): number {
  const { length } = bytes;
  for (let index = length - 1; index >= Math.max(0, length - 4); index -= 1) {
    const byte = bytes[index] ?? 0;
    if (byte < 0x80) return index + 1;
    if (byte >= 0xc0) return index;
  }
  // No character is that long: the decoder refuses it.
  return length;
}

/**
 * Searches a text of UTF-8 in slices.
 *
 * @param pattern of ASCII characters, not global
 * @param length of its longest match
 */
export function* isFound(text: Buffer, pattern: RegExp, length: number): Slices<boolean> {
  for (let start = 0; start < text.length; start += SLICE_BYTES) {
    if (pattern.test(text.toString('latin1', start, start + SLICE_BYTES + length - 1))) return true;
    yield;
  }
  return false;
}

/**
 * Finds escapes that stand for NUL or for half of a surrogate pair (RFC 8259, 8.2): what comes of them differs between
 * programs. A text of UTF-8 cannot hold either in another way.
 */
export function* findRefusedEscapes(text: Buffer): Slices<ReadonlySet<RefusedEscape>> {
  const found = new Set<RefusedEscape>();
  if (!(yield* isFound(text, SUSPICIOUS, SUSPICIOUS_LENGTH))) return found;
  let pairEndsAt = -1;
  let count = 0;
  for (const { index, 0: escape, 1: digits } of text.toString('latin1').matchAll(ESCAPE)) {
    count += 1;
    if (count % ESCAPES_OF_SLICE === 0) yield;
    const unit = Number.parseInt(digits ?? '', 16);
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    const isLow = unit >= 0xdc00 && unit < 0xe000;
    // A high half waits for a low one at the very next place.
    if (pairEndsAt >= 0 && !(isLow && index === pairEndsAt)) found.add('SURROGATE');
    if (isLow && index !== pairEndsAt) found.add('SURROGATE');
    if (unit === 0) found.add('NUL');
    pairEndsAt = isHigh ? index + escape.length : -1;
  }
  if (pairEndsAt >= 0) found.add('SURROGATE');
  return found;
}
