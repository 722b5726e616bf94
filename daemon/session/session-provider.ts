import { PROVIDER_PRIORITY } from '../identity/authentication-provider.ts';
import type { ImmediateProvider } from '../identity/authentication-provider.ts';
import type { FindCarriedSession } from './carried-session.ts';

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
