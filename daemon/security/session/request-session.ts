import type { Credentials, ImmediateProvider } from '../identity/provider/authentication-provider.ts';
import { PROVIDER_PRIORITY } from '../identity/provider/authentication-provider.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import { isAccessAllowed } from '../identity/required-action.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import type { SessionStore } from './session-store.ts';
import { findRequiredActionIn, isSessionOf, isXsrfTokenOf } from './session.ts';
import type { Session } from './session.ts';

/** Session of a request and its identity. */
interface RequestSession {
  readonly session: Session;
  readonly identity: Identity;
}

interface RequestSessionOptions {
  readonly sessions: SessionStore;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
}

/**
 * Finds the session of a request, independent of its other credentials. Except for background requests, this extends the session.
 * Returns undefined while sessions are disabled.
 */
export type FindRequestSession = (credentials: Credentials) => RequestSession | undefined;

/**
 * Creates the function that finds the session of a request.
 *
 * The session is ended if its identity was deleted or has new credentials. A wrong or missing XSRF token and a locked session
 * are rejected; this neither ends nor extends the session.
 */
export function createRequestSessionFinder(options: RequestSessionOptions): FindRequestSession {
  const { sessions, identities, rest } = options;
  return (credentials) => {
    const { sessionId, xsrfToken, isXsrfExempt, isRecheck = false, isBackground = false } = credentials;
    if (sessionId === undefined || !rest().sessionBasedAuthenticationEnabled) return undefined;
    const session = sessions.find(sessionId);
    if (session === undefined) return undefined;
    const identity = identities.find(session.identityName);
    if (identity === undefined || !isSessionOf(session, identity)) {
      sessions.remove(session.id);
      return undefined;
    }
    if (!isXsrfExempt && !isXsrfTokenOf(session, xsrfToken)) return undefined;
    if (!isAccessAllowed(findRequiredActionIn(session, identity), credentials)) return undefined;
    if (!isRecheck && !isBackground) sessions.touch(session.id);
    return { session, identity };
  };
}

/** Creates the synchronous provider that accepts session cookies while sessions are enabled. */
export function createSessionProvider(findRequestSession: FindRequestSession): ImmediateProvider {
  return {
    name: 'session',
    priority: PROVIDER_PRIORITY.session,
    authenticate(credentials) {
      const found = findRequestSession(credentials);
      if (found === undefined) return undefined;
      const { session, identity } = found;
      const isByPassword = session.method === 'password';
      return { identity, method: 'session', sessionId: session.id, isByPassword } as const;
    },
  };
}
