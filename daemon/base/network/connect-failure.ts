import { messageOf } from '../errors.ts';

// The codes are those of the system (errno(3), getaddrinfo(3)) and of OpenSSL's verification, as Node.js passes them on.
const REASONS: Readonly<Record<string, (host: string, message: string) => string>> = {
  // Our own, of the lookup of names.
  ADDRESS_REFUSED: (_host, message) => message,
  ECONNREFUSED: () => 'it refuses connections; check the port, and that its service runs',
  ECONNRESET: () => 'it closed the connection; check that it takes one more, and whether it expects TLS',
  EPIPE: () => 'it closed the connection; check that it takes one more',
  EHOSTUNREACH: () => 'nothing with this address answers; check power, cable and address',
  ENETUNREACH: () => 'there is no route to its network; check the network settings of this machine',
  ETIMEDOUT: () => 'it does not answer; check power, cable, address and firewall',
  ENOTFOUND: (host) =>
    `the name ${host} is unknown; check the name and the name server (DNS), or use an address`,
  EAI_AGAIN: (host) =>
    `the name ${host} cannot be looked up now; check the name server (DNS), or use an address`,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => `${UNTRUSTED} that certificate itself`,
  SELF_SIGNED_CERT_IN_CHAIN: () => `${UNTRUSTED} the certificate of its authority`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => `${UNTRUSTED} the certificate of its authority`,
  UNABLE_TO_GET_ISSUER_CERT: () => `${UNTRUSTED} the certificates of its authority up to the root`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => `${UNTRUSTED} the certificates of its authority up to the root`,
  CERT_HAS_EXPIRED: () => 'its certificate has expired; renew it there, and check the clocks of both',
  CERT_NOT_YET_VALID: () => 'its certificate is not valid yet; check the clocks of both',
  // The library says which names the certificate has.
  ERR_TLS_CERT_ALTNAME_INVALID: (_host, message) => message,
  CERT_REVOKED: () => 'its certificate is revoked; renew it there',
  ERR_SSL_WRONG_VERSION_NUMBER: () => 'it does not speak TLS on this port; check the port',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: () => 'it asks for a certificate; configure one with its key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: () =>
    'it does not trust our certificate; have it trust the authority of that',
};

const UNTRUSTED = 'its certificate is not trusted; to trust it, add to the file of authorities';

/**
 * Describes in plain words why a connection failed, and what to check; the code of the system stands behind.
 *
 * @param cause as a socket reports it
 * @param host name or address of the other side
 */
export function describeConnectFailure(cause: unknown, host: string): string {
  // A name with several addresses fails once for each.
  if (cause instanceof AggregateError) {
    return [...new Set(cause.errors.map((each) => describeConnectFailure(each, host)))].join('; ');
  }
  const { code } = cause as { readonly code?: unknown };
  if (typeof code !== 'string') return messageOf(cause);
  const reason = REASONS[code]?.(host, messageOf(cause));
  return reason === undefined ? code : `${reason} (${code})`;
}
