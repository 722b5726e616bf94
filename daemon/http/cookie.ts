const NAME = 'JSESSIONID';
const PREFIX = `${NAME}=`;
// cookie-octet of RFC 6265, 4.1.1.
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,256}$/;

/**
 * Finds the id of the session that a request claims.
 *
 * @param header value of the Cookie field
 * @returns undefined when there is no session cookie, or more than one: which of them the browser meant is not known
 */
export function findSessionCookie(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // What programs send, and so most of all requests.
  if (!header.includes(';')) return valueOf(header.trim());
  const pairs = header.split(';').map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(PREFIX));
  return own.length === 1 ? valueOf(own[0] ?? '') : undefined;
}

function valueOf(pair: string): string | undefined {
  if (!pair.startsWith(PREFIX)) return undefined;
  const value = pair.slice(PREFIX.length);
  return COOKIE_VALUE.test(value) ? value : undefined;
}

/** Returns the Set-Cookie value that opens a session in the client. */
export function formatSessionCookie(sessionId: string, isTls: boolean): string {
  return `${NAME}=${sessionId}; ${attributes(isTls)}`;
}

/** Returns the Set-Cookie value that removes the session cookie. */
export function formatExpiredCookie(isTls: boolean): string {
  return `${NAME}=; Max-Age=0; ${attributes(isTls)}`;
}

function attributes(isTls: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isTls ? '; Secure' : ''}`;
}
