// Whatever breaks a line, moves the cursor, turns the direction of text or cannot be seen. A backslash that looks like
// the start of an escape is escaped as well, so that no input can imitate an escape.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\\(?=u)/gu;

/**
 * Returns a text that can be printed anywhere: on one line, with nothing hidden in it.
 *
 * Control characters, line separators, characters that turn the direction of text or are not visible, and lone
 * surrogates become `\uXXXX`. The cost depends on `maximumLength` only, however long the text is.
 *
 * @returns at most `maximumLength` UTF-16 units; the last one is `…` when something was cut off
 */
export function toSafeText(text: string, maximumLength: number): string {
  const safe = text.slice(0, maximumLength).replace(UNSAFE_CHARACTER, escapeUnits);
  if (text.length <= maximumLength && safe.length <= maximumLength) return safe;
  return `${safe.slice(0, maximumLength - 1).toWellFormed()}…`;
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
