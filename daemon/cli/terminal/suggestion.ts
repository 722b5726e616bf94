import { findNearestKey } from '../../base/key/key-hint.ts';

// A list of thousands helps no reader.
const MAXIMUM_LISTED = 12;

/**
 * Returns a hint for a word that is none of the known ones, to be put behind a message: the nearest of them, or all when
 * they are few; empty when there is nothing to say.
 */
export function suggest(written: string, known: readonly string[]): string {
  const nearest = findNearestKey(written, known);
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  return known.length === 0 || known.length > MAXIMUM_LISTED ? '' : `; expected one of ${known.join(', ')}`;
}
