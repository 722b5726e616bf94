import type { X509Certificate } from 'node:crypto';

/** A client certificate that the handshake refused. */
export interface RefusedCertificate {
  readonly port: number;
  readonly remoteAddress: string | undefined;
  /** Code of OpenSSL's verification, for example `CERT_REVOKED`. */
  readonly reason: string;
  /** Undefined if the client presented no readable certificate. */
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  /** Explanation of the reason. */
  readonly cause?: string | undefined;
  /** Remedy. */
  readonly advice?: string | undefined;
}

type Explanation = Readonly<Pick<RefusedCertificate, 'cause' | 'advice'>>;

const FOREIGN: Explanation = {
  cause: 'issued by an untrusted authority',
  advice:
    'issue the client a certificate from a trusted authority, or add the issuer to tls.clientCertificateAuthoritiesFile',
};
const SELF_SIGNED: Explanation = {
  cause: 'self-signed, or issued by an untrusted authority',
  advice: FOREIGN.advice,
};
const RENEWAL = 'issue the client a new certificate';

// If no list covers the issuer, OpenSSL reports only that, even if the issuer is unknown as well.
const NO_LIST = 'UNABLE_TO_GET_CRL';

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  [NO_LIST]: {
    cause: 'no revocation list covers this issuer',
    advice: "add the issuer's list to tls.certificateRevocationListFile",
  },
  CRL_HAS_EXPIRED: {
    cause: 'the revocation list of the issuer has expired',
    advice: 'put the current list into tls.certificateRevocationListFile',
  },
  CERT_REVOKED: { cause: 'revoked', advice: RENEWAL },
  CERT_HAS_EXPIRED: { cause: 'expired', advice: `${RENEWAL}; check the clock of this machine` },
  CERT_NOT_YET_VALID: {
    cause: 'not valid yet',
    advice: 'check the clocks of the authority and this machine',
  },
  INVALID_PURPOSE: {
    cause: 'not for client authentication, or an issuer is not an authority',
    advice: `${RENEWAL}, with the extended key usage clientAuth`,
  },
  UNABLE_TO_GET_ISSUER_CERT: FOREIGN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: FOREIGN,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: FOREIGN,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
};

// A client chooses the names in its certificate.
const MAXIMUM_NAME_LENGTH = 200;

/**
 * Explains a refusal for the log: subject, issuer, cause and remedy.
 *
 * @param isIssuerTrusted true if a trusted authority issued the certificate
 */
export function explainRefusal(
  reason: string,
  certificate: X509Certificate | undefined,
  isIssuerTrusted: boolean,
): Omit<RefusedCertificate, 'port' | 'remoteAddress'> {
  if (certificate === undefined) return { reason };
  const explanation = reason === NO_LIST && !isIssuerTrusted ? FOREIGN : EXPLANATIONS[reason];
  const { subject, issuer } = certificate;
  return { reason, subject: toLine(subject), issuer: toLine(issuer), ...explanation };
}

function toLine(distinguishedName: string): string {
  return distinguishedName.replaceAll('\n', ', ').slice(0, MAXIMUM_NAME_LENGTH);
}
