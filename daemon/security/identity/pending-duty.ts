import type { Identity } from './identity.ts';

/** What an identity has to do with its password before that opens anything else; the change of the password comes first. */
export type PendingDuty = 'PASSWORD_CHANGE' | 'SECOND_FACTOR';

/** What an endpoint answers to an identity that has a duty. */
export interface DutyAdmission {
  /** It answers whatever the duty is. */
  readonly isOpenToLockedSessions?: boolean | undefined;
  /** It answers an identity that has only the second factor left to set up. */
  readonly isOpenForEnrolment?: boolean | undefined;
}

/** Returns what an identity has to do first; undefined: nothing. */
export function findDuty(
  identity: Pick<Identity, 'passwordChangeNeeded' | 'secondFactorRequired' | 'hasSecondFactor'>,
): PendingDuty | undefined {
  if (identity.passwordChangeNeeded) return 'PASSWORD_CHANGE';
  const isFactorMissing = identity.secondFactorRequired === true && identity.hasSecondFactor !== true;
  return isFactorMissing ? 'SECOND_FACTOR' : undefined;
}

/** Returns whether an endpoint answers a proof by password although a duty is pending. */
export function isAdmitted(duty: PendingDuty | undefined, admission: DutyAdmission): boolean {
  if (duty === undefined || admission.isOpenToLockedSessions === true) return true;
  return duty === 'SECOND_FACTOR' && admission.isOpenForEnrolment === true;
}
