// Characters that break lines, move the cursor, change the text direction or are invisible. A backslash before "u" is also
// escaped, so that no input can imitate an escape.
const UNSAFE_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\\(?=u)/gu;

/**
 * Escapes a text so that it can be printed anywhere: on one line and without hidden characters.
 *
 * Control characters, line separators, directional and invisible characters, and lone surrogates become `\uXXXX`. The cost
 * depends only on `maximumLength`.
 *
 * @returns at most `maximumLength` UTF-16 units; a truncated text ends with `…`
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
