import type { Clock } from '../../../base/clock.ts';
import { Unavailable } from '../../../base/errors.ts';
import type { Authenticator } from '../../../security/identity/authenticator.ts';
import type { IdentityStore } from '../../../security/identity/identity-store.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import type { RestSettings } from '../../../settings/rest-settings.ts';
import { mayUse } from '../access-policy.ts';
import { toCredentials } from '../credentials.ts';
import type { RequestContext } from '../request-context.ts';

/** Reason for ending a stream. */
type StreamEndReason = 'PORT_CLOSED' | 'ENDPOINT_DISABLED' | 'NOT_AUTHENTICATED' | 'NOT_PERMITTED';

export interface StreamAccessParts {
  readonly authenticator: Authenticator;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
  readonly clock: Clock;
}

/**
 * Checks the request of a stream again, like a new request with the same credentials, but without extending its session.
 *
 * @returns undefined if the stream may continue, or if that cannot be determined
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
  if (access === 'PUBLIC') return undefined;
  const certificate = connection.findCertificate(clock.epochMs());
  const principal = await authenticateAgain({ ...context, certificate }, parts);
  if (principal === 'UNKNOWN') return undefined;
  if (principal === undefined) return 'NOT_AUTHENTICATED';
  return mayUse(principal, access) ? undefined : 'NOT_PERMITTED';
}

async function authenticateAgain(
  context: RequestContext,
  { authenticator, identities }: StreamAccessParts,
): Promise<Principal | 'UNKNOWN' | undefined> {
  const { principal: previous } = context;
  if (previous?.method === 'basic') {
    // A password that was changed since is not a failed login attempt.
    const present = identities.find(previous.identity.name);
    if (present?.credentialsRevision !== previous.identity.credentialsRevision) return undefined;
  }
  try {
    const present = await authenticator.authenticate({ ...toCredentials(context), isRecheck: true });
    return present?.identity.id === previous?.identity.id ? present : undefined;
  } catch (error) {
    if (error instanceof Unavailable) return 'UNKNOWN';
    throw error;
  }
}
