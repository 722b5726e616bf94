import type { Clock } from '../../base/clock.ts';
import { Conflict } from '../../base/errors.ts';
import type { RandomSource } from '../../base/random.ts';
import { findUnchanged } from '../identity-store.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity } from '../identity.ts';
import { createWrongPassword, refuseBlank } from '../password-change.ts';
import type { PasswordAuthenticator } from '../password-authenticator.ts';
import { toBase32 } from './base32.ts';
import { findSteps, readCode, SECRET_BYTES, stepAt } from './one-time-code.ts';
import { formatProvisioningUri } from './provisioning-uri.ts';
import { createRecoveryCodes, digestRecoveryCode } from './recovery-code.ts';
import { createSecondFactorWrong } from './second-factor-refused.ts';

/** Who asks, as the session shows it. */
interface EnrolmentCaller {
  readonly identityName: string;
  readonly sessionId: string;
}

interface EnrolmentRequest extends EnrolmentCaller {
  readonly currentPassword: string;
  readonly remoteAddress: string;
}

interface FactorRequest extends Omit<EnrolmentRequest, 'sessionId'> {
  /** As typed. */
  readonly secondFactorCode?: string | undefined;
}

/** A new secret, which is shown once. */
interface NewSecret {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://…`, which authenticator apps read from a QR code. */
  readonly uri: string;
}

/** What an identity can know of its second factor. */
interface SecondFactorStatus {
  readonly isActive: boolean;
  readonly isRequired: boolean;
  readonly recoveryCodesLeft: number;
}

/** Sets up, renews and ends the second factor of an identity, on its own behalf. */
export interface SecondFactorEnrolment {
  status(identity: Identity): SecondFactorStatus;
  /**
   * Makes a secret, which changes nothing yet. It can be confirmed in the same session within {@link ENROLMENT_MS}, until the
   * next one is made.
   *
   * @throws {InvalidRequest} `PASSWORD_BLANK`
   * @throws {NotAuthenticated} `CURRENT_PASSWORD_WRONG`, which counts as a failed login
   * @throws {Conflict} `SECOND_FACTOR_ACTIVE`: the one in force has to be ended first
   * @throws {TooManyRequests} as a login does
   * @throws {Unavailable} as a login does
   */
  begin(request: EnrolmentRequest): Promise<NewSecret>;
  /**
   * Puts the secret in force, given one of its codes, which is used up by that, and ends all sessions of the identity.
   *
   * @returns recovery codes, which are shown once
   * @throws {Conflict} `SECOND_FACTOR_NOT_BEGUN`
   * @throws {SecondFactorRefused} `SECOND_FACTOR_WRONG`; the secret stays as it is
   */
  confirm(request: EnrolmentCaller & { readonly secondFactorCode: string }): readonly string[];
  /**
   * Replaces the recovery codes, given password and code.
   *
   * @returns the new ones, which are shown once
   * @throws {InvalidRequest} `PASSWORD_BLANK`
   * @throws {Conflict} `SECOND_FACTOR_NOT_ACTIVE`
   * @throws {NotAuthenticated} `CURRENT_PASSWORD_WRONG`
   * @throws {SecondFactorRefused} `SECOND_FACTOR_NEEDED` or `SECOND_FACTOR_WRONG`
   * @throws {TooManyRequests} as a login does
   * @throws {Unavailable} as a login does
   */
  renewRecoveryCodes(request: FactorRequest): Promise<readonly string[]>;
  /**
   * Ends the second factor, given password and code, and all sessions of the identity.
   *
   * @throws as `renewRecoveryCodes` does
   */
  remove(request: FactorRequest): Promise<void>;
}

interface SecondFactorEnrolmentOptions {
  readonly identities: IdentityStore;
  readonly authenticator: PasswordAuthenticator;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Name of the gateway in authenticator apps. */
  readonly issuer: string;
  /** Ends all sessions of an identity. */
  readonly endSessions: (identityId: string) => void;
}

/** A secret that waits for its first code. */
interface PendingSecret {
  readonly sessionId: string;
  readonly credentialsRevision: number;
  readonly secret: Buffer;
  readonly untilMs: number;
}

/** Time for which a secret waits for its first code. */
export const ENROLMENT_MS = 10 * 60_000;

/** Creates the operations. */
export function createSecondFactorEnrolment(options: SecondFactorEnrolmentOptions): SecondFactorEnrolment {
  const { identities, authenticator, clock, random, issuer, endSessions } = options;
  // Not on disk: with a restart the sessions end that could confirm them. One for each identity.
  const pending = new Map<string, PendingSecret>();

  function forgetExpired(): void {
    const nowMs = clock.monotonicMs();
    for (const [id, { untilMs }] of pending) {
      if (untilMs <= nowMs) pending.delete(id);
    }
  }

  function getPending({ id, credentialsRevision }: Identity, sessionId: string): PendingSecret {
    forgetExpired();
    const found = pending.get(id);
    if (found?.sessionId === sessionId && found.credentialsRevision === credentialsRevision) return found;
    const detail = 'no second factor waits for its first code in this session; begin again';
    throw new Conflict({ code: 'SECOND_FACTOR_NOT_BEGUN', detail });
  }

  function makeRecoveryCodes({ id }: Identity) {
    const codes = createRecoveryCodes(random);
    return { codes, digests: codes.flatMap((code) => digestRecoveryCode(id, code) ?? []) };
  }

  async function prove({ identityName, currentPassword, secondFactorCode, remoteAddress }: FactorRequest) {
    refuseBlank(currentPassword, 'currentPassword');
    refuseInactive(identities.get(identityName));
    const credentials = { name: identityName, password: currentPassword, remoteAddress };
    const proof = await authenticator.authenticateWithSecondFactor(credentials, secondFactorCode);
    if (proof === undefined) throw createWrongPassword();
    refuseInactive(proof.identity);
    return proof.identity;
  }

  return {
    status({ name, hasSecondFactor = false, secondFactorRequired = false }) {
      const recoveryDigests = identities.findSecondFactor(name)?.recoveryDigests ?? [];
      return {
        isActive: hasSecondFactor,
        isRequired: secondFactorRequired,
        recoveryCodesLeft: recoveryDigests.length,
      };
    },

    async begin({ identityName, sessionId, currentPassword, remoteAddress }) {
      refuseBlank(currentPassword, 'currentPassword');
      refuseActive(identities.get(identityName));
      const proved = await authenticator.authenticatePassword({
        name: identityName,
        password: currentPassword,
        remoteAddress,
      });
      if (proved === undefined) throw createWrongPassword();
      refuseActive(proved);
      forgetExpired();
      const secret = random.bytes(SECRET_BYTES);
      pending.set(proved.id, {
        sessionId,
        credentialsRevision: proved.credentialsRevision,
        secret,
        untilMs: clock.monotonicMs() + ENROLMENT_MS,
      });
      const text = toBase32(secret);
      return { secret: text, uri: formatProvisioningUri({ issuer, account: identityName, secret: text }) };
    },

    confirm({ identityName, sessionId, secondFactorCode }) {
      const identity = identities.get(identityName);
      const { secret } = getPending(identity, sessionId);
      const code = readCode(secondFactorCode);
      const steps = code === undefined ? [] : findSteps(secret, code, stepAt(clock.epochMs()));
      if (steps.length === 0) throw createSecondFactorWrong();
      const { codes, digests } = makeRecoveryCodes(identity);
      identities.setSecondFactor(identityName, { secret, usedSteps: steps, recoveryDigests: digests });
      pending.delete(identity.id);
      endSessions(identity.id);
      return codes;
    },

    async renewRecoveryCodes(request) {
      const identity = await prove(request);
      const factor = identities.findSecondFactor(identity.name);
      if (factor === undefined || findUnchanged(identities, identity) === undefined) throw createInactive();
      const { codes, digests } = makeRecoveryCodes(identity);
      identities.updateSecondFactor(identity.name, { ...factor, recoveryDigests: digests });
      return codes;
    },

    async remove(request) {
      const identity = await prove(request);
      if (findUnchanged(identities, identity) === undefined) throw createInactive();
      identities.setSecondFactor(identity.name, undefined);
      endSessions(identity.id);
    },
  };
}

function refuseActive({ hasSecondFactor }: Identity): void {
  if (hasSecondFactor !== true) return;
  const detail = 'a second factor is in force; end it before another one is set up';
  throw new Conflict({ code: 'SECOND_FACTOR_ACTIVE', detail });
}

function refuseInactive({ hasSecondFactor }: Identity): void {
  if (hasSecondFactor !== true) throw createInactive();
}

function createInactive(): Conflict {
  return new Conflict({ code: 'SECOND_FACTOR_NOT_ACTIVE', detail: 'no second factor is in force' });
}
