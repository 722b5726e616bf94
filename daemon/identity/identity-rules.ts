import { InvalidRequest } from '../base/errors.ts';
import { HIDDEN_CHARACTER } from '../base/plain-text.ts';
import type { PasswordStrength } from '../settings/rest-settings.ts';

/** One rule that a proposed password breaks. */
interface PasswordFault {
  readonly code:
    | 'PASSWORD_BLANK'
    | 'PASSWORD_TOO_SHORT'
    | 'PASSWORD_TOO_LONG'
    | 'PASSWORD_NOT_TEXT'
    | 'PASSWORD_WITH_CONTROL_CHARACTER'
    | 'PASSWORD_WITHOUT_DIGIT'
    | 'PASSWORD_WITHOUT_SPECIAL_CHARACTER'
    | 'PASSWORD_WITHOUT_BOTH_CASES';
  /** The rule, for the client. */
  readonly message: string;
}

/** Characters of a name or a new password. */
const MAXIMUM_LENGTH = 255;

const MINIMUM_NAME_LENGTH = 3;
const CONTROL_CHARACTER = /\p{Cc}/u;
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

/**
 * Checks a proposed password against the required strength.
 *
 * Characters are Unicode code points; the password is taken as it is, without trimming or normalisation.
 *
 * @returns every broken rule, in the order of the settings; none when the password is acceptable
 */
export function checkPasswordStrength(
  password: string,
  strength: PasswordStrength,
): readonly PasswordFault[] {
  const { minimumLength, requireDigits, requireSpecialCharacters, requireBothCases } = strength;
  // A lone surrogate has no UTF-8 form: two such passwords would hash alike.
  if (!password.isWellFormed()) {
    return [{ code: 'PASSWORD_NOT_TEXT', message: 'the password has to be Unicode text' }];
  }
  if (password.trim() === '') return [{ code: 'PASSWORD_BLANK', message: 'the password is blank' }];
  const length = countCharacters(password);
  if (length > MAXIMUM_LENGTH) {
    return [
      { code: 'PASSWORD_TOO_LONG', message: `the password may have at most ${MAXIMUM_LENGTH} characters` },
    ];
  }
  const faults: PasswordFault[] = [];
  if (CONTROL_CHARACTER.test(password)) {
    faults.push({
      code: 'PASSWORD_WITH_CONTROL_CHARACTER',
      message: 'the password may have no control characters',
    });
  }
  if (length < minimumLength) {
    faults.push({
      code: 'PASSWORD_TOO_SHORT',
      message: `the password has to have at least ${minimumLength} characters`,
    });
  }
  if (requireDigits && !/\p{Nd}/u.test(password)) {
    faults.push({ code: 'PASSWORD_WITHOUT_DIGIT', message: 'the password has to have a digit' });
  }
  if (requireSpecialCharacters && !/[^\p{L}\p{M}\p{Nd}]/u.test(password)) {
    faults.push({
      code: 'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
      message: 'the password has to have a character that is neither letter nor digit',
    });
  }
  if (requireBothCases && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    faults.push({
      code: 'PASSWORD_WITHOUT_BOTH_CASES',
      message: 'the password has to have an upper-case and a lower-case letter',
    });
  }
  return faults;
}

/**
 * Refuses a password that breaks a rule.
 *
 * @throws {InvalidRequest} `PASSWORD_TOO_WEAK` with every broken rule in the detail
 */
export function refuseWeakPassword(password: string, strength: PasswordStrength): void {
  const faults = checkPasswordStrength(password, strength);
  if (faults.length === 0) return;
  throw new InvalidRequest({
    code: 'PASSWORD_TOO_WEAK',
    detail: faults.map(({ message }) => message).join('; '),
  });
}

function countCharacters(text: string): number {
  // Each code point takes one or two UTF-16 units: a longer text need not be walked through.
  return text.length > 2 * MAXIMUM_LENGTH ? text.length : Array.from(text).length;
}
