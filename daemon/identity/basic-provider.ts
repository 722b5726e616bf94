import { hash } from 'node:crypto';

import type { Clock } from '../base/clock.ts';
import { systemRandom } from '../base/random.ts';
import type { RandomSource } from '../base/random.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { PROVIDER_PRIORITY } from './authentication-provider.ts';
import type { AuthenticationProvider, Credentials } from './authentication-provider.ts';
import { readBasicCredentials } from './basic-credentials.ts';
import type { BasicCredentials } from './basic-credentials.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';
import type { PasswordAuthenticator } from './password-authenticator.ts';
import { createCredentialCache } from './credential-cache.ts';
import { findDuty, isAdmitted } from './pending-duty.ts';

interface BasicProviderOptions {
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly authenticator: PasswordAuthenticator;
  readonly clock: Clock;
  readonly rest: () => RestSettings;
  /** The randomness of the machine unless given. */
  readonly random?: RandomSource;
}

// On a slow processor a full queue of hashes may take longer than the default deadline.
const DEADLINE_MS = 30_000;

/**
 * Accepts BASIC credentials (RFC 7617) while both password and BASIC authentication are switched on.
 *
 * A verified pair is cached for up to 60 s, so that not every request costs a hash; a change of credentials ends that
 * at once. Equal pairs that arrive together cost one hash and count as one attempt. An identity
 * whose password has to be changed, or that has to set up a second factor, is refused, except by endpoints that admit locked
 * sessions. One that has a second factor is always refused: the pair would be the whole proof, on each request.
 */
export function createBasicProvider(options: BasicProviderOptions): AuthenticationProvider {
  const { identities, authenticator, clock, rest, random = systemRandom } = options;
  // With a random key the cached digests are of no use to another process. A plain hash suffices, because no client ever
  // sees one, so length extension is no threat.
  const key = random.bytes(32).toString('base64');
  const verified = createCredentialCache(clock);
  const running = new Map<string, Promise<Identity | undefined>>();

  async function verify(pair: BasicCredentials, remoteAddress: string, digest: string) {
    const identity = await authenticator.authenticatePassword({ ...pair, remoteAddress });
    if (identity !== undefined) verified.remember(digest, identity);
    return identity;
  }

  function verifyOnce(pair: BasicCredentials, remoteAddress: string, digest: string) {
    // Attempts are counted by address.
    const attempt = `${digest} ${remoteAddress}`;
    const present = running.get(attempt);
    if (present !== undefined) return present;
    const started = verify(pair, remoteAddress, digest).finally(() => running.delete(attempt));
    running.set(attempt, started);
    return started;
  }

  function authenticate({ authorization, remoteAddress, isOpenToLockedSessions }: Credentials) {
    const toPrincipal = (identity: Identity): Principal | undefined =>
      identity.hasSecondFactor === true || !isAdmitted(findDuty(identity), { isOpenToLockedSessions })
        ? undefined
        : { identity, method: 'basic', isByPassword: true };
    if (!isEnabled(rest())) return undefined;
    const pair = readBasicCredentials(authorization);
    if (pair === undefined) return undefined;
    // The name contains no colon, so each pair has exactly one text.
    const digest = hash('sha256', `${key}${pair.name}:${pair.password}`, 'base64');
    const identity = identities.find(pair.name);
    if (identity !== undefined && verified.has(digest, identity)) return toPrincipal(identity);
    return verifyOnce(pair, remoteAddress, digest).then((late) =>
      isEnabled(rest()) && late !== undefined ? toPrincipal(late) : undefined,
    );
  }

  return { name: 'basic', priority: PROVIDER_PRIORITY.basic, deadlineMs: DEADLINE_MS, authenticate };
}

function isEnabled({ passwordAuthenticationEnabled, basicAuthenticationEnabled }: RestSettings): boolean {
  return passwordAuthenticationEnabled && basicAuthenticationEnabled;
}
