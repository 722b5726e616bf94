import type { Credentials, ImmediateProvider } from '../identity/provider/authentication-provider.ts';
import { PROVIDER_PRIORITY } from '../identity/provider/authentication-provider.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import { isAdmitted } from '../identity/pending-duty.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import type { SessionStore } from './session-store.ts';
import { findDutyIn, isSessionOf, isXsrfTokenOf } from './session.ts';
import type { Session } from './session.ts';

/** The session of a request and its identity. */
interface CarriedSession {
  readonly session: Session;
  readonly identity: Identity;
}

interface CarriedSessionOptions {
  readonly sessions: SessionStore;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
}

/**
 * Finds the session of a request, which counts as a use of the session unless a program sent it by itself, whatever other
 * credentials the request has; returns undefined while sessions are switched off.
 */
export type FindCarriedSession = (credentials: Credentials) => CarriedSession | undefined;

/**
 * Creates the function that finds the session of a request.
 *
 * A session ends when its identity was deleted or has other credentials. A wrong or missing XSRF token and a locked session
 * are refused, which neither ends the session nor counts as a use.
 */
export function createCarriedSessionFinder(options: CarriedSessionOptions): FindCarriedSession {
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
    if (!isAdmitted(findDutyIn(session, identity), credentials)) return undefined;
    if (!isRecheck && !isBackground) sessions.touch(session.id);
    return { session, identity };
  };
}

/** Creates the provider that accepts session cookies while sessions are switched on; it answers at once. */
export function createSessionProvider(findCarriedSession: FindCarriedSession): ImmediateProvider {
  return {
    name: 'session',
    priority: PROVIDER_PRIORITY.session,
    authenticate(credentials) {
      const carried = findCarriedSession(credentials);
      if (carried === undefined) return undefined;
      const { session, identity } = carried;
      const isByPassword = session.method === 'password';
      return { identity, method: 'session', sessionId: session.id, isByPassword } as const;
    },
  };
}
