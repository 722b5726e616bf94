import type { PageSession } from '../api/session.ts';
import { replaceQuery } from '../parts/route.ts';
import { forgetTrends } from '../trend/trend-memory.ts';

const OWNER = 'penstock.owner';

/**
 * Forgets the selection in the link and the trends of an identity when it signs out, and when another one signs in in the same
 * tab, also after a reload. After the end of a session they stay for the same identity.
 */
export function watchTabOwner(session: PageSession): void {
  let wasSignedIn = false;
  session.state.subscribe((state) => {
    const name = state.kind === 'SIGNED_IN' ? state.identity.name : undefined;
    const owner = sessionStorage.getItem(OWNER);
    const isSignedOut = wasSignedIn && state.kind === 'SIGNED_OUT' && state.former === undefined;
    const isReplaced = name !== undefined && owner !== null && owner !== name;
    wasSignedIn = name !== undefined;
    if (isSignedOut) sessionStorage.removeItem(OWNER);
    if (name !== undefined) sessionStorage.setItem(OWNER, name);
    if (!isSignedOut && !isReplaced) return;
    forgetTrends(name);
    replaceQuery(new URLSearchParams());
  });
}
