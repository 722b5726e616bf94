import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

import type { ClientTrust } from './client-certificate.ts';

/** Key pair and trusted authorities of a listener, in PEM. */
export interface ListenerTls {
  readonly certificate: string;
  readonly privateKey: string;
  /** Authorities whose client certificates are accepted; needed for `https-client-auth`. */
  readonly clientCertificateAuthorities: readonly string[];
  /** Empty: nothing is known to be revoked. */
  readonly certificateRevocationLists: readonly string[];
  /** Verifies certificates after the handshake against the same authorities and lists; absent: only the handshake does. */
  readonly clientTrust?: ClientTrust | undefined;
}

// ECDHE with AEAD only, as RFC 9325, 4.2 recommends for TLS 1.2; TLS 1.3 has nothing else. First in both what is mandatory and
// cheapest (RFC 8446, 9.1): many processors have instructions for SHA-256 and none for SHA-384.
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  // 112 bits of security for every certificate on the path, the client's included: no RSA below 2048 bits, no curve below
  // 224, no SHA-1 (SSL_CTX_set_security_level(3)). The default of the runtime depends on how it was built.
  '@SECLEVEL=2',
].join(':');

// Those of the intermediate configuration of Mozilla (wiki.mozilla.org/Security/Server_Side_TLS). The hybrid with ML-KEM resists
// quantum computers; a runtime that lacks it passes over a name with "?".
const GROUPS = '?X25519MLKEM768:X25519:P-256:P-384';

// A session that is older is not resumed; its client pays for a full handshake once an hour.
const SESSION_TIMEOUT_SECONDS = 3600;

/**
 * Returns every TLS setting of a listener: one that is left out when a context is replaced falls back to a default.
 *
 * @throws {RangeError} without a certificate
 */
export function toSecureContextOptions(tls: ListenerTls | undefined): SecureContextOptions {
  if (tls === undefined) throw new RangeError('an HTTPS listener needs a certificate');
  const { certificate, privateKey, clientCertificateAuthorities, certificateRevocationLists } = tls;
  return {
    cert: certificate,
    key: privateKey,
    // An empty list, unlike none, trusts no authority, not even those of the runtime.
    ca: [...clientCertificateAuthorities],
    ...(certificateRevocationLists.length === 0 ? {} : { crl: [...certificateRevocationLists] }),
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ecdhCurve: GROUPS,
    honorCipherOrder: true,
    // No client has a use for it, and it lets a peer cause work (RFC 9325, 3.4; CVE-2011-1473). TLS 1.3 has none.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    sessionTimeout: SESSION_TIMEOUT_SECONDS,
  };
}
