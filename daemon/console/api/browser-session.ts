import { RestFailure } from './rest-failure.ts';
import type { AnswerOf } from '../../interface/endpoint.ts';
import type { IdentityInfo, readXsrfToken } from '../../interface/security/session.ts';

/** Browser session, identified by its XSRF token. The gateway accepts the token only with the cookie of the same session. */
export interface BrowserSession {
  readonly token: string;
  /** Identity that the gateway confirmed for the token; undefined: the session is locked to its required action. */
  readonly identity: IdentityInfo | undefined;
}

/** Sends a GET request, with the token if given. */
export type Get = (path: string, token?: string) => Promise<Response>;

const ROOT = '/services/session/v1';
// Each failed attempt means a simultaneous login in another tab.
const MAXIMUM_ATTEMPTS = 5;

/**
 * Finds the current session of the browser, possibly opened by another tab.
 *
 * The token is fetched for the current cookie. `currentIdentity` then confirms its identity and succeeds
 * only if the cookie still belongs to the token.
 *
 * @throws {RestFailure} if no response arrives, or an unexpected one
 */
export async function findBrowserSession(get: Get): Promise<BrowserSession | undefined> {
  let token = await fetchToken(get);
  for (let tries = 0; token !== undefined && tries < MAXIMUM_ATTEMPTS; tries += 1) {
    const response = await get(`${ROOT}/currentIdentity`, token);
    if (response.ok) return { token, identity: (await response.json()) as IdentityInfo };
    if (response.status !== 401) throw await RestFailure.read(response);
    const next = await fetchToken(get);
    if (next === token) return { token, identity: undefined };
    token = next;
  }
  return undefined;
}

/** Finds the session of a login that is locked to a required action. */
export async function findLockedSession(get: Get): Promise<BrowserSession | undefined> {
  const token = await fetchToken(get);
  return token === undefined ? undefined : { token, identity: undefined };
}

async function fetchToken(get: Get): Promise<string | undefined> {
  const response = await get(`${ROOT}/xsrfToken`);
  if (response.ok) return ((await response.json()) as AnswerOf<typeof readXsrfToken>).xsrfToken;
  if (response.status === 401 || response.status === 404) return undefined;
  throw await RestFailure.read(response);
}
