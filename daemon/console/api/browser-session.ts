import { RestFailure } from './rest-failure.ts';
import type { AnswerOf } from '../../interface/endpoint.ts';
import type { IdentityInfo, readXsrfToken } from '../../interface/security/session.ts';

/** A session of the browser, by its XSRF token, which the gateway accepts with the cookie of this session only. */
export interface BrowserSession {
  readonly token: string;
  /** Whose session the token was proved to be of; undefined: it is locked, and opens nothing but its own duties. */
  readonly identity: IdentityInfo | undefined;
}

/** Sends a GET to a path, with a token where one is given. */
export type Get = (path: string, token?: string) => Promise<Response>;

const ROOT = '/services/session/v1';
// Each one that fails is a login of another tab in the same moment.
const MAXIMUM_ATTEMPTS = 5;

/**
 * Finds the session that the browser has now, which another tab may have opened.
 *
 * The token is fetched for whatever cookie the browser has, so the gateway is asked with it to whom it belongs: it answers
 * only if the cookie is still that of the token.
 *
 * @throws {RestFailure} when there is no answer, or none that tells
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

/** Finds the session that a login has just opened, and that its identity cannot use for more than a duty. */
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
