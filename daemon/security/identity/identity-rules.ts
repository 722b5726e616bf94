import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';

/** Maximum characters of a name or a new password. */
export const MAXIMUM_LENGTH = 255;

const MINIMUM_NAME_LENGTH = 3;
const PERMISSION = /^rest\.[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Returns true if a name has 3 to 255 visible characters and spaces, without white space at the ends. */
export function isIdentityName(name: string): boolean {
  const length = countCharacters(name);
  return (
    length >= MINIMUM_NAME_LENGTH &&
    length <= MAXIMUM_LENGTH &&
    name.trim() === name &&
    !HIDDEN_CHARACTER.test(name)
  );
}

/** Returns true if a permission has the form `rest.<role>`. */
export function isPermissionName(permission: string): boolean {
  return PERMISSION.test(permission);
}

/** Counts the Unicode code points of a text, or the UTF-16 units of a far too long text. */
export function countCharacters(text: string): number {
  // Each code point takes one or two UTF-16 units, so a longer text need not be scanned.
  return text.length > 2 * MAXIMUM_LENGTH ? text.length : Array.from(text).length;
}
