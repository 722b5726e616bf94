import { hash } from 'node:crypto';

import type { Clock } from '../../../base/clock.ts';
import { systemRandom } from '../../../base/random.ts';
import type { RandomSource } from '../../../base/random.ts';
import type { RestSettings } from '../../../settings/rest-settings.ts';
import { PROVIDER_PRIORITY } from './authentication-provider.ts';
import type { AuthenticationProvider, Credentials } from './authentication-provider.ts';
import { readBasicCredentials } from '../basic-credentials.ts';
import type { BasicCredentials } from '../basic-credentials.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity, Principal } from '../identity.ts';
import type { PasswordAuthenticator } from '../password/password-authenticator.ts';
import { createQueueFull } from '../password/password-hash-pool.ts';
import { findRequiredAction, isAccessAllowed } from '../required-action.ts';

/** Cache lifetime of a verified pair, from its verification, not its last use. */
export const REMEMBER_VERIFIED_MS = 60_000;

/** Maximum cached pairs; the oldest is evicted first and is verified again at its next use. */
export const MAXIMUM_VERIFIED_PAIRS = 1000;

interface Verified {
  readonly identityId: string;
  readonly credentialsRevision: number;
  readonly untilMs: number;
}

interface BasicProviderOptions {
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly authenticator: PasswordAuthenticator;
  readonly clock: Clock;
  readonly rest: () => RestSettings;
  /** Default: system randomness. */
  readonly random?: RandomSource;
}

// On a slow processor a full queue of hashes may take longer than the default deadline.
const DEADLINE_MS = 30_000;
const BASIC_SCHEME = /^basic(?: |$)/i;

/**
 * Accepts BASIC credentials (RFC 7617) while both password and BASIC authentication are enabled.
 *
 * A verified pair is cached for up to 60 s to avoid a hash for each request; a change of credentials invalidates it
 * immediately. Concurrent requests with equal pairs cost one hash and count as one attempt. An identity with a required action
 * is rejected, except by endpoints that serve locked sessions. An identity with a second factor is always rejected, because the
 * pair alone would authenticate each request.
 */
export function createBasicProvider(options: BasicProviderOptions): AuthenticationProvider {
  const { identities, authenticator, clock, rest, random = systemRandom } = options;
  // With a random key, cached digests are useless to another process. A plain hash suffices: no client ever sees a digest, so
  // length extension is not a threat.
  const key = random.bytes(32).toString('base64');
  const verified = new CredentialCache(clock);
  const running = new Map<string, Promise<Identity | undefined>>();

  async function verify(pair: BasicCredentials, remoteAddress: string, digest: string) {
    const identity = await authenticator.authenticatePassword({ ...pair, remoteAddress });
    if (identity !== undefined) verified.remember(digest, identity);
    return identity;
  }

  function verifyOnce(pair: BasicCredentials, remoteAddress: string, digest: string) {
    // Attempts are counted for each address.
    const attempt = `${digest} ${remoteAddress}`;
    const pending = running.get(attempt);
    if (pending !== undefined) return pending;
    const started = verify(pair, remoteAddress, digest).finally(() => running.delete(attempt));
    running.set(attempt, started);
    return started;
  }

  function authenticate({ authorization, remoteAddress, isOpenToLockedSessions }: Credentials) {
    const toPrincipal = (identity: Identity): Principal | undefined =>
      identity.hasSecondFactor === true ||
      !isAccessAllowed(findRequiredAction(identity), { isOpenToLockedSessions })
        ? undefined
        : { identity, method: 'basic', isByPassword: true };
    if (!isBasicEnabled(rest())) return undefined;
    const pair = readBasicCredentials(authorization);
    if (pair === undefined) return undefined;
    // The name contains no colon, so each pair has exactly one text.
    const digest = hash('sha256', `${key}${pair.name}:${pair.password}`, 'base64');
    const identity = identities.find(pair.name);
    if (identity !== undefined && verified.has(digest, identity)) return toPrincipal(identity);
    return verifyOnce(pair, remoteAddress, digest).then((late) =>
      isBasicEnabled(rest()) && late !== undefined ? toPrincipal(late) : undefined,
    );
  }

  return {
    name: 'basic',
    priority: PROVIDER_PRIORITY.basic,
    deadlineMs: DEADLINE_MS,
    createTimeoutError: createQueueFull,
    authenticate,
  };
}

/** True if requests with BASIC credentials are accepted. */
export function isBasicEnabled(
  rest: Pick<RestSettings, 'passwordAuthenticationEnabled' | 'basicAuthenticationEnabled'>,
): boolean {
  return rest.passwordAuthenticationEnabled && rest.basicAuthenticationEnabled;
}

/** True if a request has BASIC credentials, well-formed or not. */
export function hasBasicScheme(authorization: string | undefined): boolean {
  return authorization !== undefined && BASIC_SCHEME.test(authorization);
}

/** Cache of digests of recently verified names and passwords. */
export class CredentialCache {
  readonly #clock: Clock;
  // In order of verification, which is the order of expiry.
  readonly #pairs = new Map<string, Verified>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(digest: string, { id, credentialsRevision }: Identity): void {
    this.#pairs.delete(digest);
    this.#forgetExpired();
    const untilMs = this.#clock.monotonicMs() + REMEMBER_VERIFIED_MS;
    this.#pairs.set(digest, { identityId: id, credentialsRevision, untilMs });
  }

  /** Returns true if the pair was recently verified for the current credentials of the identity. */
  has(digest: string, { id, credentialsRevision }: Identity): boolean {
    const pair = this.#pairs.get(digest);
    return (
      pair !== undefined &&
      pair.identityId === id &&
      pair.credentialsRevision === credentialsRevision &&
      this.#clock.monotonicMs() < pair.untilMs
    );
  }

  #forgetExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [digest, { untilMs }] of this.#pairs) {
      if (untilMs > nowMs && this.#pairs.size < MAXIMUM_VERIFIED_PAIRS) return;
      this.#pairs.delete(digest);
    }
  }
}
