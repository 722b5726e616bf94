/**
 * English sentences of failed connections, by their code, which ends with the code of the system (errno(3), getaddrinfo(3)) or of OpenSSL's
 * verification, as Node.js passes them on.
 */
export const NETWORK_FAILURES = {
  NETWORK_ECONNREFUSED: 'connection refused; check the port and the service there (ECONNREFUSED)',
  NETWORK_ECONNRESET:
    'it closed the connection; check its connection limit, and whether it expects TLS (ECONNRESET)',
  NETWORK_EPIPE: 'it closed the connection; check its connection limit (EPIPE)',
  NETWORK_EHOSTUNREACH: 'no response from this address; check power, cable and address (EHOSTUNREACH)',
  NETWORK_ENETUNREACH: 'no route to its network; check the network settings of this machine (ENETUNREACH)',
  NETWORK_ETIMEDOUT: 'no response; check power, cable, address and firewall (ETIMEDOUT)',
  NETWORK_ENOTFOUND:
    'unknown host name {host}; check the name and the DNS server, or use an address (ENOTFOUND)',
  NETWORK_EAI_AGAIN:
    'cannot resolve {host} at the moment; check the DNS server, or use an address (EAI_AGAIN)',
  NETWORK_DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is not trusted; to trust it, add to the CA file that certificate itself (DEPTH_ZERO_SELF_SIGNED_CERT)',
  NETWORK_SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is not trusted; to trust it, add to the CA file the certificate of its CA (SELF_SIGNED_CERT_IN_CHAIN)',
  NETWORK_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is not trusted; to trust it, add to the CA file the certificate of its CA (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
  NETWORK_UNABLE_TO_GET_ISSUER_CERT:
    'its certificate is not trusted; to trust it, add to the CA file the certificates of its CAs up to the root (UNABLE_TO_GET_ISSUER_CERT)',
  NETWORK_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is not trusted; to trust it, add to the CA file the certificates of its CAs up to the root (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)',
  NETWORK_CERT_HAS_EXPIRED:
    'its certificate has expired; renew it there, and check both clocks (CERT_HAS_EXPIRED)',
  NETWORK_CERT_NOT_YET_VALID: 'its certificate is not valid yet; check both clocks (CERT_NOT_YET_VALID)',
  NETWORK_CERT_REVOKED: 'its certificate is revoked; renew it there (CERT_REVOKED)',
  NETWORK_ERR_SSL_WRONG_VERSION_NUMBER:
    'it does not speak TLS on this port; check the port (ERR_SSL_WRONG_VERSION_NUMBER)',
  NETWORK_ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'it requires a client certificate; configure one with its key (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
  NETWORK_ERR_SSL_TLSV1_ALERT_UNKNOWN_CA:
    'it does not trust our certificate; add the CA of that certificate to its trust store (ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)',
} as const;
