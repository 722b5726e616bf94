/** Name of the cookie of a session. */
export const SESSION_COOKIE = 'JSESSIONID';
const PREFIX = `${SESSION_COOKIE}=`;
// cookie-octet of RFC 6265, 4.1.1.
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,256}$/;

/**
 * Finds the session id in the Cookie header.
 *
 * @param header value of the Cookie header
 * @returns undefined if there is no session cookie, or more than one: they are ambiguous
 */
export function findSessionCookie(header: string | undefined): string | undefined {
  let found: string | undefined;
  for (const pair of header?.split(';') ?? []) {
    const own = pair.trim();
    if (!own.startsWith(PREFIX)) continue;
    if (found !== undefined) return undefined;
    found = own.slice(PREFIX.length);
  }
  return found !== undefined && COOKIE_VALUE.test(found) ? found : undefined;
}

/** Lists the names of the cookies that a request carries. */
export function listCookieNames(header = ''): readonly string[] {
  return header
    .split(';')
    .map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
    .filter((name) => name !== '');
}

/** Returns the Set-Cookie value that opens a session in the client. */
export function formatSessionCookie(sessionId: string, isSecure: boolean): string {
  return `${SESSION_COOKIE}=${sessionId}; ${attributes(isSecure)}`;
}

/** Returns the Set-Cookie value that removes the session cookie. */
export function formatExpiredCookie(isSecure: boolean): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${attributes(isSecure)}`;
}

function attributes(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
