import { hash, randomBytes } from 'node:crypto';

import type { Clock } from '../base/clock.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import {
  type AuthenticationProvider,
  type Credentials,
  PROVIDER_PRIORITY,
} from './authentication-provider.ts';
import { type BasicCredentials, readBasicCredentials } from './basic-credentials.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';
import type { PasswordAuthenticator } from './password-authenticator.ts';
import { createCredentialCache } from './credential-cache.ts';

interface BasicProviderOptions {
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly authenticator: PasswordAuthenticator;
  readonly clock: Clock;
  readonly rest: () => RestSettings;
}

// A full queue of hashes may take longer on a slow processor than a custom provider is given.
const DEADLINE_MS = 30_000;

/**
 * Accepts BASIC credentials (RFC 7617) while both password and BASIC authentication are switched on.
 *
 * A pair that was right is remembered for up to 60 s, so that not every request costs a hash; the change of a
 * credential ends that at once. Equal pairs that arrive together cost one hash and count as one attempt. An identity
 * whose password has to be changed is refused, except where locked sessions are let in too.
 */
export function createBasicProvider(options: BasicProviderOptions): AuthenticationProvider {
  const { identities, authenticator, clock, rest } = options;
  // What is remembered cannot be turned into a password, and means nothing to another process.
  // A plain hash does, because nobody outside ever sees one (so it cannot be extended either).
  const key = randomBytes(32).toString('base64');
  const verified = createCredentialCache(clock);
  const running = new Map<string, Promise<Identity | undefined>>();

  async function verify(pair: BasicCredentials, remoteAddress: string, digest: string) {
    const identity = await authenticator.authenticatePassword({ ...pair, remoteAddress });
    if (identity !== undefined) verified.remember(digest, identity);
    return identity;
  }

  function verifyOnce(pair: BasicCredentials, remoteAddress: string, digest: string) {
    // Each address answers for its own attempts.
    const attempt = `${digest} ${remoteAddress}`;
    const present = running.get(attempt);
    if (present !== undefined) return present;
    const started = verify(pair, remoteAddress, digest).finally(() => running.delete(attempt));
    running.set(attempt, started);
    return started;
  }

  function authenticate({ authorization, remoteAddress, isOpenToLockedSessions }: Credentials) {
    const toPrincipal = (identity: Identity): Principal | undefined =>
      identity.passwordChangeNeeded && !isOpenToLockedSessions
        ? undefined
        : { identity, method: 'basic', isByPassword: true };
    if (!isEnabled(rest())) return undefined;
    const pair = readBasicCredentials(authorization);
    if (pair === undefined) return undefined;
    // The name holds no colon, so that a pair has but one text.
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
