import { InvalidRequest } from '../../../base/errors.ts';
import { createReason, explain } from '../../../base/fault-reason.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import { IDENTITY_FAULTS } from '../fault-sentences.ts';
import type { PasswordStrength } from '../../../settings/rest-settings.ts';
import { countCharacters, MAXIMUM_LENGTH } from '../identity-rules.ts';

/** Rules for a password of an identity. */
interface PasswordRules {
  readonly strength: PasswordStrength;
  readonly identityName: string;
}

type PlainCode =
  | 'PASSWORD_WITH_CONTROL_CHARACTER'
  | 'PASSWORD_WITHOUT_DIGIT'
  | 'PASSWORD_WITHOUT_SPECIAL_CHARACTER'
  | 'PASSWORD_WITHOUT_BOTH_CASES';

const PRODUCT_NAME = 'penstock';
/** Minimum length of checked names: shorter ones occur in many good passwords. */
const MINIMUM_CONTAINED_LENGTH = 4;
const CONTROL_CHARACTER = /\p{Cc}/u;
const FATAL: ReadonlySet<string> = new Set(['PASSWORD_NOT_TEXT', 'PASSWORD_BLANK', 'PASSWORD_TOO_LONG']);

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
): Promise<readonly FaultReason[]> {
  const faults = checkStrength(password, strength);
  // Too long or not text: further rules would not help.
  if (faults.some(({ code }) => FATAL.has(code))) return faults;
  const name = findContainedName(password, identityName);
  if (name !== undefined) faults.push(name);
  if (await isCommonPassword(password)) faults.push(createReason(IDENTITY_FAULTS, 'PASSWORD_COMMON', {}));
  return faults;
}

function checkStrength(password: string, strength: PasswordStrength): FaultReason[] {
  const { minimumLength, requireDigits, requireSpecialCharacters, requireBothCases } = strength;
  // A lone surrogate has no UTF-8 form: two such passwords would hash alike.
  if (!password.isWellFormed()) {
    return [createReason(IDENTITY_FAULTS, 'PASSWORD_NOT_TEXT', {})];
  }
  if (password.trim() === '') return [createReason(IDENTITY_FAULTS, 'PASSWORD_BLANK', {})];
  const length = countCharacters(password);
  if (length > MAXIMUM_LENGTH)
    return [createReason(IDENTITY_FAULTS, 'PASSWORD_TOO_LONG', { bound: MAXIMUM_LENGTH })];
  const faults: FaultReason[] = [];
  const refuse = (code: PlainCode): void => {
    faults.push(createReason(IDENTITY_FAULTS, code, {}));
  };
  if (CONTROL_CHARACTER.test(password)) refuse('PASSWORD_WITH_CONTROL_CHARACTER');
  if (length < minimumLength)
    faults.push(createReason(IDENTITY_FAULTS, 'PASSWORD_TOO_SHORT', { bound: minimumLength }));
  if (requireDigits && !/\p{Nd}/u.test(password)) refuse('PASSWORD_WITHOUT_DIGIT');
  if (requireSpecialCharacters && !/[^\p{L}\p{M}\p{Nd}]/u.test(password)) {
    refuse('PASSWORD_WITHOUT_SPECIAL_CHARACTER');
  }
  if (requireBothCases && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    refuse('PASSWORD_WITHOUT_BOTH_CASES');
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
  throw new InvalidRequest({ code: 'PASSWORD_TOO_WEAK', ...explain(...faults) });
}

/** Returns the reason for the first forbidden name in a password. */
function findContainedName(password: string, identityName: string): FaultReason | undefined {
  const lowered = password.toLowerCase();
  if (lowered.includes(PRODUCT_NAME))
    return createReason(IDENTITY_FAULTS, 'PASSWORD_WITH_PRODUCT', { name: PRODUCT_NAME });
  const isNameLongEnough = countCharacters(identityName) >= MINIMUM_CONTAINED_LENGTH;
  return isNameLongEnough && lowered.includes(identityName.toLowerCase())
    ? createReason(IDENTITY_FAULTS, 'PASSWORD_WITH_NAME', {})
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
