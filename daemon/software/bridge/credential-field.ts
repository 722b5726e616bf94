// Headers of RFC 9110 (11), RFC 6265 and RFC 9449, of this gateway, and of proxies that forward credentials of a client. A header
// that a provider defines for its own clients, for example X-Api-Key, is not among them.
const CREDENTIAL_WORDS =
  /authorization|cookie|xsrf|csrf|passw(?:or)?d|secret|jwt|(?:access|auth|bearer|id|refresh|security|session)-?token|session-?id|^dpop$/;

/**
 * Returns true if a header carries credentials for the gateway, for a proxy in front of it, or for another server. Their reader
 * can act as the client.
 *
 * @param name in lower case
 */
export function isCredentialField(name: string): boolean {
  return CREDENTIAL_WORDS.test(name);
}
