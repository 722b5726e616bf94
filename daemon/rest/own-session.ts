import { NotAuthenticated } from '../base/errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { Session } from '../session/session.ts';

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
    throw new NotAuthenticated({ code: 'SESSION_REQUIRED', detail: 'this needs a session' });
  }
  const { identityName: sessionOf } = session;
  if (principal?.identity.name !== sessionOf) context.auditNote = { details: [{ sessionOf }] };
  return session;
}
