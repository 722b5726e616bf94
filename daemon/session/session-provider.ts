import {
  type Credentials,
  type ImmediateProvider,
  PROVIDER_PRIORITY,
} from '../identity/authentication-provider.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import type { SessionStore } from './session-store.ts';
import { isLocked, isSessionOf, isXsrfTokenOf } from './session.ts';

export interface SessionProviderOptions {
  readonly sessions: SessionStore;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly rest: () => RestSettings;
}

/**
 * Accepts session cookies while sessions are switched on; answers at once.
 *
 * The session ends when its identity is gone or has other credentials. A wrong or missing XSRF token, and a session
 * that is locked, are merely not accepted: neither ends the session or counts as its use.
 */
export function createSessionProvider(options: SessionProviderOptions): ImmediateProvider {
  const { sessions, identities, rest } = options;

  function authenticate(credentials: Credentials) {
    const { sessionId, xsrfToken, isXsrfExempt, isOpenToLockedSessions, isRecheck } = credentials;
    if (sessionId === undefined || !rest().sessionBasedAuthenticationEnabled) return undefined;
    const session = sessions.find(sessionId);
    if (session === undefined) return undefined;
    const identity = identities.find(session.identityName);
    if (identity === undefined || !isSessionOf(session, identity)) {
      sessions.remove(session.id);
      return undefined;
    }
    if (!isXsrfExempt && !isXsrfTokenOf(session, xsrfToken)) return undefined;
    if (!isOpenToLockedSessions && isLocked(session, identity)) return undefined;
    if (isRecheck !== true) sessions.touch(session.id);
    return { identity, method: 'session', sessionId: session.id } as const;
  }

  return { name: 'session', priority: PROVIDER_PRIORITY.session, authenticate };
}
