import { InvalidRequest } from '../../../base/errors.ts';
import type { PasswordStrength } from '../../../settings/rest-settings.ts';
import { countCharacters, MAXIMUM_LENGTH } from '../identity-rules.ts';

/** A rule that a proposed password violates. */
interface PasswordFault {
  readonly code:
    | 'PASSWORD_BLANK'
    | 'PASSWORD_TOO_SHORT'
    | 'PASSWORD_TOO_LONG'
    | 'PASSWORD_NOT_TEXT'
    | 'PASSWORD_WITH_CONTROL_CHARACTER'
    | 'PASSWORD_WITHOUT_DIGIT'
    | 'PASSWORD_WITHOUT_SPECIAL_CHARACTER'
    | 'PASSWORD_WITHOUT_BOTH_CASES'
    | 'PASSWORD_WITH_NAME'
    | 'PASSWORD_COMMON';
  /** Description of the rule, for the client. */
  readonly message: string;
}

/** Rules for a password of an identity. */
interface PasswordRules {
  readonly strength: PasswordStrength;
  readonly identityName: string;
}

const PRODUCT_NAME = 'penstock';
/** Minimum length of checked names: shorter ones occur in many good passwords. */
const MINIMUM_CONTAINED_LENGTH = 4;
const CONTROL_CHARACTER = /\p{Cc}/u;
const FATAL: ReadonlySet<PasswordFault['code']> = new Set([
  'PASSWORD_NOT_TEXT',
  'PASSWORD_BLANK',
  'PASSWORD_TOO_LONG',
]);

/**
 * Checks a proposed password against the strength setting, forbidden names, and a published list of common passwords. Names and
 * common passwords are compared case-insensitively.
 *
 * Characters are Unicode code points; the password is used unchanged, without trimming or normalisation.
 *
 * @returns all violated rules, in the order of the settings; empty if the password is acceptable
 */
export async function findPasswordFaults(
  password: string,
  { strength, identityName }: PasswordRules,
): Promise<readonly PasswordFault[]> {
  const faults = checkStrength(password, strength);
  // Too long or not text: further rules would not help.
  if (faults.some(({ code }) => FATAL.has(code))) return faults;
  const name = findContainedName(password, identityName);
  if (name !== undefined) {
    faults.push({ code: 'PASSWORD_WITH_NAME', message: `the password must not contain ${name}` });
  }
  if (await isCommonPassword(password)) {
    faults.push({ code: 'PASSWORD_COMMON', message: 'the password is one of the most common passwords' });
  }
  return faults;
}

function checkStrength(password: string, strength: PasswordStrength): PasswordFault[] {
  const { minimumLength, requireDigits, requireSpecialCharacters, requireBothCases } = strength;
  // A lone surrogate has no UTF-8 form: two such passwords would hash alike.
  if (!password.isWellFormed()) {
    return [{ code: 'PASSWORD_NOT_TEXT', message: 'the password must be valid Unicode text' }];
  }
  if (password.trim() === '') return [{ code: 'PASSWORD_BLANK', message: 'the password is blank' }];
  const length = countCharacters(password);
  if (length > MAXIMUM_LENGTH) {
    return [
      { code: 'PASSWORD_TOO_LONG', message: `the password must have at most ${MAXIMUM_LENGTH} characters` },
    ];
  }
  const faults: PasswordFault[] = [];
  if (CONTROL_CHARACTER.test(password)) {
    faults.push({
      code: 'PASSWORD_WITH_CONTROL_CHARACTER',
      message: 'the password must not contain control characters',
    });
  }
  if (length < minimumLength) {
    faults.push({
      code: 'PASSWORD_TOO_SHORT',
      message: `the password must have at least ${minimumLength} characters`,
    });
  }
  if (requireDigits && !/\p{Nd}/u.test(password)) {
    faults.push({ code: 'PASSWORD_WITHOUT_DIGIT', message: 'the password must contain a digit' });
  }
  if (requireSpecialCharacters && !/[^\p{L}\p{M}\p{Nd}]/u.test(password)) {
    faults.push({
      code: 'PASSWORD_WITHOUT_SPECIAL_CHARACTER',
      message: 'the password must contain a character that is neither letter nor digit',
    });
  }
  if (requireBothCases && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    faults.push({
      code: 'PASSWORD_WITHOUT_BOTH_CASES',
      message: 'the password must contain an upper-case and a lower-case letter',
    });
  }
  return faults;
}

/**
 * Rejects a password that violates a rule.
 *
 * @throws {InvalidRequest} `PASSWORD_TOO_WEAK` with all violated rules in the detail
 */
export async function refuseWeakPassword(password: string, rules: PasswordRules): Promise<void> {
  const faults = await findPasswordFaults(password, rules);
  if (faults.length === 0) return;
  throw new InvalidRequest({
    code: 'PASSWORD_TOO_WEAK',
    detail: faults.map(({ message }) => message).join('; '),
  });
}

/** Returns the first forbidden name in a password, in the form of the message. */
function findContainedName(password: string, identityName: string): string | undefined {
  const lowered = password.toLowerCase();
  if (lowered.includes(PRODUCT_NAME)) return PRODUCT_NAME;
  const isNameLongEnough = countCharacters(identityName) >= MINIMUM_CONTAINED_LENGTH;
  return isNameLongEnough && lowered.includes(identityName.toLowerCase())
    ? 'the name of the identity'
    : undefined;
}

/**
 * Returns true if a password is one of the most common ones, case-insensitively: the 49,000 of zxcvbn-ts, from published
 * leaks. The list is loaded lazily.
 */
async function isCommonPassword(password: string): Promise<boolean> {
  const { default: list } = await import('@zxcvbn-ts/language-common/src/passwords.json', {
    with: { type: 'json' },
  });
  return list.includes(password.toLowerCase());
}
