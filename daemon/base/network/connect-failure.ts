import { messageOf } from '../errors.ts';

// The codes are those of the system (errno(3), getaddrinfo(3)) and of OpenSSL's verification, as Node.js passes them on.
const REASONS: Readonly<Record<string, (host: string, message: string) => string>> = {
  // Our own code, from the name lookup.
  ADDRESS_REFUSED: (_host, message) => message,
  ECONNREFUSED: () => 'connection refused; check the port and the service there',
  ECONNRESET: () => 'it closed the connection; check its connection limit, and whether it expects TLS',
  EPIPE: () => 'it closed the connection; check its connection limit',
  EHOSTUNREACH: () => 'no response from this address; check power, cable and address',
  ENETUNREACH: () => 'no route to its network; check the network settings of this machine',
  ETIMEDOUT: () => 'no response; check power, cable, address and firewall',
  ENOTFOUND: (host) => `unknown host name ${host}; check the name and the DNS server, or use an address`,
  EAI_AGAIN: (host) => `cannot resolve ${host} at the moment; check the DNS server, or use an address`,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => `${UNTRUSTED} that certificate itself`,
  SELF_SIGNED_CERT_IN_CHAIN: () => `${UNTRUSTED} the certificate of its CA`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => `${UNTRUSTED} the certificate of its CA`,
  UNABLE_TO_GET_ISSUER_CERT: () => `${UNTRUSTED} the certificates of its CAs up to the root`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => `${UNTRUSTED} the certificates of its CAs up to the root`,
  CERT_HAS_EXPIRED: () => 'its certificate has expired; renew it there, and check both clocks',
  CERT_NOT_YET_VALID: () => 'its certificate is not valid yet; check both clocks',
  // The library lists the names in the certificate.
  ERR_TLS_CERT_ALTNAME_INVALID: (_host, message) => message,
  CERT_REVOKED: () => 'its certificate is revoked; renew it there',
  ERR_SSL_WRONG_VERSION_NUMBER: () => 'it does not speak TLS on this port; check the port',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: () =>
    'it requires a client certificate; configure one with its key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: () =>
    'it does not trust our certificate; add the CA of that certificate to its trust store',
};

const UNTRUSTED = 'its certificate is not trusted; to trust it, add to the CA file';

/**
 * Describes the reason that a connection failed, and the remedy; followed by the system code.
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
