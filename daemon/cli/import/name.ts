import { HIDDEN_CHARACTER } from '../../base/plain-text.ts';

const LONGEST_NAME = 255;
// Names of channels and pids are parts of addresses and lists.
const IMPOSSIBLE = /[#/+,\s]/gu;

/** Returns a text as the name of a channel: `_` stands for what names do not have. */
export function toName(text: string): string {
  return (
    Array.from(text.trim().replaceAll(IMPOSSIBLE, '_'))
      .map((character) => (HIDDEN_CHARACTER.test(character) ? '_' : character))
      .join('')
      .slice(0, LONGEST_NAME)
      // Half of a character that takes two units.
      .replace(/[\uD800-\uDBFF]$/, '')
  );
}

/** Returns a text as a pid, which does not begin with `_`. */
export function toPid(text: string): string {
  return toName(text).replace(/^_+/, '');
}
