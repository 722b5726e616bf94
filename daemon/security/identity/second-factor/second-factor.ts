import { UnreadableSecret } from '../../../base/key/secret-key.ts';
import { findSteps, readCode, stepAt, WINDOW_STEPS } from './one-time-code.ts';
import { digestRecoveryCode, takeDigest } from './recovery-code.ts';

/** The second factor of an identity: a secret that it shares with an authenticator app, and codes for the loss of that. */
export interface SecondFactor {
  /** 160 random bits; unreadable: no code of the app is right any more, but recovery codes are. */
  readonly secret: Uint8Array | UnreadableSecret;
  /** Time steps whose codes were used, the earliest first; see {@link MAXIMUM_USED_STEPS}. */
  readonly usedSteps: readonly number[];
  /** Digests of the recovery codes that are left. */
  readonly recoveryDigests: readonly string[];
}

/** What was given beside the password. */
export type SecondFactorKind = 'TOTP' | 'RECOVERY_CODE';

/** Time steps that are remembered; those before them are forgotten. */
export const MAXIMUM_USED_STEPS = 100;

interface CodeUse {
  readonly identityId: string;
  /** As typed. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Decides whether a code is right, and has not been used.
 *
 * A time step serves once, and none serves after a later one (RFC 6238, 5.2). A later step beyond the window does not count: the
 * clock has been set back since, and the identity would be locked out until the clock is there again. Its code stays used.
 *
 * @returns what was given, and the factor after its use, to be stored before anything is granted; undefined: refused
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
