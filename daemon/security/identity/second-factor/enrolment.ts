import type { Clock } from '../../../base/clock.ts';
import { Conflict } from '../../../base/errors.ts';
import type { RandomSource } from '../../../base/random.ts';
import { findUnchanged } from '../identity-store.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity } from '../identity.ts';
import { createWrongPassword, refuseBlank } from '../password/password-change.ts';
import type { PasswordAuthenticator } from '../password/password-authenticator.ts';
import { toBase32 } from './base32.ts';
import { findSteps, readCode, SECRET_BYTES, stepAt, formatProvisioningUri } from './one-time-code.ts';
import { createRecoveryCodes, digestRecoveryCode } from './recovery-code.ts';
import { createSecondFactorWrong } from './second-factor-refused.ts';

/** Caller of an enrolment, from its session. */
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

/** A new secret, shown once. */
interface NewSecret {
  /** Base32. */
  readonly secret: string;
  /** `otpauth://…` URI for a QR code. */
  readonly uri: string;
}

/** State of the second factor of an identity. */
interface SecondFactorStatus {
  readonly isActive: boolean;
  readonly isRequired: boolean;
  readonly recoveryCodesLeft: number;
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

/** A secret pending confirmation by its first code. */
interface PendingSecret {
  readonly sessionId: string;
  readonly credentialsRevision: number;
  readonly secret: Buffer;
  readonly untilMs: number;
}

/** Time limit for the first code of a secret. */
export const ENROLMENT_MS = 10 * 60_000;

/** Sets up, renews and removes the caller's own second factor. */
export class SecondFactorEnrolment {
  readonly #options: SecondFactorEnrolmentOptions;
  // Not on disk: a restart also ends the sessions that could confirm them. One for each identity.
  readonly #pending = new Map<string, PendingSecret>();

  constructor(options: SecondFactorEnrolmentOptions) {
    this.#options = options;
  }

  status({ name, hasSecondFactor = false, secondFactorRequired = false }: Identity): SecondFactorStatus {
    const { identities } = this.#options;
    const recoveryDigests = identities.findSecondFactor(name)?.recoveryDigests ?? [];
    return {
      isActive: hasSecondFactor,
      isRequired: secondFactorRequired,
      recoveryCodesLeft: recoveryDigests.length,
    };
  }

  /**
   * Creates a secret without activating it. It can be confirmed in the same session within {@link ENROLMENT_MS}, until the next
   * secret is created.
   *
   * @throws {InvalidRequest} `PASSWORD_BLANK`
   * @throws {NotAuthenticated} `CURRENT_PASSWORD_WRONG`, which counts as a failed login
   * @throws {Conflict} `SECOND_FACTOR_ACTIVE`: the active one must be removed first
   * @throws {TooManyRequests} as a login does
   * @throws {Unavailable} as a login does
   */
  async begin({
    identityName,
    sessionId,
    currentPassword,
    remoteAddress,
  }: EnrolmentRequest): Promise<NewSecret> {
    const { identities, authenticator, clock, random, issuer } = this.#options;
    refuseBlank(currentPassword, 'currentPassword');
    refuseActive(identities.get(identityName));
    const proved = await authenticator.authenticatePassword({
      name: identityName,
      password: currentPassword,
      remoteAddress,
    });
    if (proved === undefined) throw createWrongPassword();
    refuseActive(proved);
    this.#forgetExpired();
    const secret = random.bytes(SECRET_BYTES);
    this.#pending.set(proved.id, {
      sessionId,
      credentialsRevision: proved.credentialsRevision,
      secret,
      untilMs: clock.monotonicMs() + ENROLMENT_MS,
    });
    const text = toBase32(secret);
    return { secret: text, uri: formatProvisioningUri({ issuer, account: identityName, secret: text }) };
  }

  /**
   * Activates the secret with one of its codes, consumes the code and ends all sessions of the identity.
   *
   * @returns recovery codes, shown once
   * @throws {Conflict} `SECOND_FACTOR_NOT_BEGUN`
   * @throws {SecondFactorRefused} `SECOND_FACTOR_WRONG`; the secret remains pending
   */
  confirm({
    identityName,
    sessionId,
    secondFactorCode,
  }: EnrolmentCaller & { readonly secondFactorCode: string }): readonly string[] {
    const { identities, clock, endSessions } = this.#options;
    const identity = identities.get(identityName);
    const { secret } = this.#getPending(identity, sessionId);
    const code = readCode(secondFactorCode);
    const steps = code === undefined ? [] : findSteps(secret, code, stepAt(clock.epochMs()));
    if (steps.length === 0) throw createSecondFactorWrong();
    const { codes, digests } = this.#makeRecoveryCodes(identity);
    identities.setSecondFactor(identityName, { secret, usedSteps: steps, recoveryDigests: digests });
    this.#pending.delete(identity.id);
    endSessions(identity.id);
    return codes;
  }

  /**
   * Replaces the recovery codes after verifying password and code.
   *
   * @returns the new codes, shown once
   * @throws {InvalidRequest} `PASSWORD_BLANK`
   * @throws {Conflict} `SECOND_FACTOR_NOT_ACTIVE`
   * @throws {NotAuthenticated} `CURRENT_PASSWORD_WRONG`
   * @throws {SecondFactorRefused} `SECOND_FACTOR_NEEDED` or `SECOND_FACTOR_WRONG`
   * @throws {TooManyRequests} as a login does
   * @throws {Unavailable} as a login does
   */
  async renewRecoveryCodes(request: FactorRequest): Promise<readonly string[]> {
    const { identities } = this.#options;
    const identity = await this.#prove(request);
    const factor = identities.findSecondFactor(identity.name);
    if (factor === undefined || findUnchanged(identities, identity) === undefined) throw createInactive();
    const { codes, digests } = this.#makeRecoveryCodes(identity);
    identities.updateSecondFactor(identity.name, { ...factor, recoveryDigests: digests });
    return codes;
  }

  /**
   * Removes the second factor after verifying password and code, and ends all sessions of the identity.
   *
   * @throws as `renewRecoveryCodes` does
   */
  async remove(request: FactorRequest): Promise<void> {
    const { identities, endSessions } = this.#options;
    const identity = await this.#prove(request);
    if (findUnchanged(identities, identity) === undefined) throw createInactive();
    identities.setSecondFactor(identity.name, undefined);
    endSessions(identity.id);
  }

  #forgetExpired(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const [id, { untilMs }] of this.#pending) {
      if (untilMs <= nowMs) this.#pending.delete(id);
    }
  }

  #getPending({ id, credentialsRevision }: Identity, sessionId: string): PendingSecret {
    this.#forgetExpired();
    const found = this.#pending.get(id);
    if (found?.sessionId === sessionId && found.credentialsRevision === credentialsRevision) return found;
    const detail = 'no second-factor setup is pending in this session; start again';
    throw new Conflict({ code: 'SECOND_FACTOR_NOT_BEGUN', detail });
  }

  #makeRecoveryCodes({ id }: Identity) {
    const { random } = this.#options;
    const codes = createRecoveryCodes(random);
    return { codes, digests: codes.flatMap((code) => digestRecoveryCode(id, code) ?? []) };
  }

  async #prove({ identityName, currentPassword, secondFactorCode, remoteAddress }: FactorRequest) {
    const { identities, authenticator } = this.#options;
    refuseBlank(currentPassword, 'currentPassword');
    refuseInactive(identities.get(identityName));
    const credentials = { name: identityName, password: currentPassword, remoteAddress };
    const proof = await authenticator.authenticateWithSecondFactor(credentials, secondFactorCode);
    if (proof === undefined) throw createWrongPassword();
    refuseInactive(proof.identity);
    return proof.identity;
  }
}

function refuseActive({ hasSecondFactor }: Identity): void {
  if (hasSecondFactor !== true) return;
  const detail = 'a second factor is already active; remove it before setting up another one';
  throw new Conflict({ code: 'SECOND_FACTOR_ACTIVE', detail });
}

function refuseInactive({ hasSecondFactor }: Identity): void {
  if (hasSecondFactor !== true) throw createInactive();
}

function createInactive(): Conflict {
  return new Conflict({ code: 'SECOND_FACTOR_NOT_ACTIVE', detail: 'no second factor is active' });
}
