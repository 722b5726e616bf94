// Fields of RFC 9110 (11), RFC 6265 and RFC 9449, those of this gateway, and those in which proxies pass on the credentials of a
// client. A field that a provider defines for its own clients, such as X-Api-Key, is not among them.
const CREDENTIAL_WORDS =
  /authorization|cookie|xsrf|csrf|passw(?:or)?d|secret|jwt|(?:access|auth|bearer|id|refresh|security|session)-?token|session-?id|^dpop$/;

/**
 * Returns whether a header field carries credentials that are meant for the gateway, for a proxy before it, or for another
 * server: with them, a reader can act as the client.
 *
 * @param name in lower case
 */
export function isCredentialField(name: string): boolean {
  return CREDENTIAL_WORDS.test(name);
}
