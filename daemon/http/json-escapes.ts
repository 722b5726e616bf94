// Either a code unit, or any other escape, so that the second backslash of \\u0000 begins none.
const ESCAPE = /\\(?:u([0-9a-f]{4})|[^])/gi;
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

/** What an escape of a JSON text stands for that is no character of a text. */
export type RefusedEscape = 'NUL' | 'SURROGATE';

/**
 * Finds escapes that stand for NUL or for half of a surrogate pair (RFC 8259, 8.2): what comes of them differs between
 * programs. A text that was UTF-8 cannot hold either in another way.
 */
export function findRefusedEscapes(text: string): ReadonlySet<RefusedEscape> {
  const found = new Set<RefusedEscape>();
  if (!SUSPICIOUS.test(text)) return found;
  let pairEndsAt = -1;
  for (const { index, 0: escape, 1: digits } of text.matchAll(ESCAPE)) {
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
