import { findNearestKey } from '../../base/key/key-hint.ts';

// Longer lists do not help.
const MAXIMUM_LISTED = 12;

/**
 * Returns a suffix for the message about an unknown word: the most similar known word, or all if they are few; otherwise
 * empty.
 */
export function suggest(written: string, known: readonly string[]): string {
  const nearest = findNearestKey(written, known);
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  if (known.length === 0 || known.length > MAXIMUM_LISTED) return '';
  return `; expected ${known.length === 1 ? '' : 'one of '}${known.join(', ')}`;
}
