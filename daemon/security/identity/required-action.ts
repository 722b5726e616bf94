import type { Identity } from './identity.ts';

/** Action that an identity must complete before its password grants access; a password change comes first. */
export type RequiredAction = 'PASSWORD_CHANGE' | 'SECOND_FACTOR';

/** Exemption of an endpoint from required actions. */
export interface ActionExemption {
  /** True if the endpoint serves identities with any required action. */
  readonly isOpenToLockedSessions?: boolean | undefined;
  /** True if the endpoint serves identities that only have to set up a second factor. */
  readonly isOpenForEnrolment?: boolean | undefined;
}

/** Returns the required action of an identity; undefined: none. */
export function findRequiredAction(
  identity: Pick<Identity, 'passwordChangeNeeded' | 'secondFactorRequired' | 'hasSecondFactor'>,
): RequiredAction | undefined {
  if (identity.passwordChangeNeeded) return 'PASSWORD_CHANGE';
  const isFactorMissing = identity.secondFactorRequired === true && identity.hasSecondFactor !== true;
  return isFactorMissing ? 'SECOND_FACTOR' : undefined;
}

/** Returns true if an endpoint accepts a password despite the required action. */
export function isAccessAllowed(action: RequiredAction | undefined, exemption: ActionExemption): boolean {
  if (action === undefined || exemption.isOpenToLockedSessions === true) return true;
  return action === 'SECOND_FACTOR' && exemption.isOpenForEnrolment === true;
}
