import type { Clock } from '../base/clock.ts';
import { Unavailable } from '../base/errors.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Principal } from '../identity/identity.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { mayUse } from './access-policy.ts';
import { toCredentials } from './credentials.ts';
import type { RequestContext } from './request-context.ts';

/** Why a stream may not go on. */
type StreamEndReason = 'PORT_CLOSED' | 'ENDPOINT_DISABLED' | 'NOT_AUTHENTICATED' | 'NOT_PERMITTED';

export interface StreamAccessParts {
  readonly authenticator: Authenticator;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
  readonly clock: Clock;
}

/**
 * Judges the request of a stream again, by what is in force now: as a new request with the same credentials, except that
 * it is no use of a session.
 *
 * @returns undefined when the stream may go on, also while that cannot be judged
 */
export async function findStreamEnd(
  context: RequestContext,
  parts: StreamAccessParts,
): Promise<StreamEndReason | undefined> {
  const { rest, clock } = parts;
  const { endpoint, port, isLocal, connection } = context;
  const { allowedPorts } = rest();
  if (!isLocal && allowedPorts.length > 0 && !allowedPorts.includes(port)) return 'PORT_CLOSED';
  if (endpoint?.isAvailable?.(rest()) === false) return 'ENDPOINT_DISABLED';
  const access = endpoint?.access ?? 'ANY_IDENTITY';
  if (access === 'ANYBODY') return undefined;
  const certificate = connection.findCertificate(clock.epochMs());
  const principal = await judge({ ...context, certificate }, parts);
  if (principal === 'UNKNOWN') return undefined;
  if (principal === undefined) return 'NOT_AUTHENTICATED';
  return mayUse(principal, access) ? undefined : 'NOT_PERMITTED';
}

async function judge(
  context: RequestContext,
  { authenticator, identities }: StreamAccessParts,
): Promise<Principal | 'UNKNOWN' | undefined> {
  const { principal: former } = context;
  if (former?.method === 'basic') {
    // A password that was right and is so no longer is no attempt at guessing one.
    const present = identities.find(former.identity.name);
    if (present?.credentialsRevision !== former.identity.credentialsRevision) return undefined;
  }
  try {
    const present = await authenticator.authenticate({ ...toCredentials(context), isRecheck: true });
    return present?.identity.id === former?.identity.id ? present : undefined;
  } catch (error) {
    if (error instanceof Unavailable) return 'UNKNOWN';
    throw error;
  }
}
