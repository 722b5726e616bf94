import { UnreadableSecret } from '../../../base/key/secret-key.ts';
import { findSteps, readCode, stepAt, WINDOW_STEPS } from './one-time-code.ts';
import { digestRecoveryCode, takeDigest } from './recovery-code.ts';

/** Second factor of an identity: the shared secret of an authenticator app, and recovery codes. */
export interface SecondFactor {
  /** 160 random bits; if unreadable, codes of the app are rejected, but recovery codes are accepted. */
  readonly secret: Uint8Array | UnreadableSecret;
  /** Time steps of used codes in ascending order; see {@link MAXIMUM_USED_STEPS}. */
  readonly usedSteps: readonly number[];
  /** Digests of the unused recovery codes. */
  readonly recoveryDigests: readonly string[];
}

/** Kind of second-factor code. */
export type SecondFactorKind = 'TOTP' | 'RECOVERY_CODE';

/** Maximum stored time steps; older ones are dropped. */
export const MAXIMUM_USED_STEPS = 100;

interface CodeUse {
  readonly identityId: string;
  /** As typed. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Verifies a code that has not been used.
 *
 * A time step is accepted once, and never after a later one (RFC 6238, 5.2). A later step beyond the window is ignored: the clock
 * has been set back since, and the identity would be locked out until the clock catches up. Its code remains used.
 *
 * @returns kind of the code, and the factor after its use, which must be stored before access is granted; undefined: rejected
 */
export function takeCode(
  factor: SecondFactor,
  { identityId, text, nowMs }: CodeUse,
): { readonly kind: SecondFactorKind; readonly left: SecondFactor } | undefined {
  const code = readCode(text);
  if (code !== undefined) {
    if (factor.secret instanceof UnreadableSecret) return undefined;
    const nowStep = stepAt(nowMs);
    const step = findSteps(factor.secret, code, nowStep).find((found) =>
      isUnused(factor.usedSteps, found, nowStep),
    );
    if (step === undefined) return undefined;
    const usedSteps = [...factor.usedSteps, step].toSorted((a, b) => a - b).slice(-MAXIMUM_USED_STEPS);
    return { kind: 'TOTP', left: { ...factor, usedSteps } };
  }
  const digest = digestRecoveryCode(identityId, text);
  const recoveryDigests = digest === undefined ? undefined : takeDigest(factor.recoveryDigests, digest);
  return recoveryDigests === undefined
    ? undefined
    : { kind: 'RECOVERY_CODE', left: { ...factor, recoveryDigests } };
}

function isUnused(usedSteps: readonly number[], step: number, nowStep: number): boolean {
  return !usedSteps.some((used) => used === step || (used > step && used <= nowStep + WINDOW_STEPS));
}
