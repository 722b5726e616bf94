import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';

/** Characters of a name or a new password. */
export const MAXIMUM_LENGTH = 255;

const MINIMUM_NAME_LENGTH = 3;
const PERMISSION = /^rest\.[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Returns whether a name is 3 to 255 visible characters and blanks, without white space at its ends. */
export function isIdentityName(name: string): boolean {
  const length = countCharacters(name);
  return (
    length >= MINIMUM_NAME_LENGTH &&
    length <= MAXIMUM_LENGTH &&
    name.trim() === name &&
    !HIDDEN_CHARACTER.test(name)
  );
}

/** Returns whether a permission has the form `rest.<role>`. */
export function isPermissionName(permission: string): boolean {
  return PERMISSION.test(permission);
}

/** Counts the Unicode code points of a text; of one that is far too long, its UTF-16 units. */
export function countCharacters(text: string): number {
  // Each code point takes one or two UTF-16 units: a longer text need not be walked through.
  return text.length > 2 * MAXIMUM_LENGTH ? text.length : Array.from(text).length;
}
