import type { RequestContext } from '../http/request-context.ts';
import type { Principal } from '../../security/identity/identity.ts';
import { NotAuthenticated } from '../../base/errors.ts';
import type { SessionStore } from '../../security/session/session-store.ts';
import type { Session } from '../../security/session/session.ts';

/** Returns who sent a request to an endpoint that is not for anybody. */
export function callerOf({ principal }: Pick<RequestContext, 'principal'>): Principal {
  if (principal !== undefined) return principal;
  throw new Error('an endpoint with a permission was called without an identity');
}

/**
 * Returns the session of a request. When another identity sent the request, the audit trail names that of the session too.
 *
 * @throws {NotAuthenticated} `SESSION_REQUIRED`
 */
export function getOwnSession(context: RequestContext, sessions: Pick<SessionStore, 'find'>): Session {
  const { sessionId, principal } = context;
  // It may have ended while the body arrived.
  const session = sessionId === undefined ? undefined : sessions.find(sessionId);
  if (session === undefined) {
    throw new NotAuthenticated({ code: 'SESSION_REQUIRED', detail: 'a session is required' });
  }
  const { identityName: sessionOf } = session;
  if (principal?.identity.name !== sessionOf) context.auditAnnotation = { details: [{ sessionOf }] };
  return session;
}
