import type { X509Certificate } from 'node:crypto';

/** A client certificate that the handshake refused. */
export interface RefusedCertificate {
  readonly port: number;
  readonly remoteAddress: string | undefined;
  /** Code of OpenSSL's verification, for example `CERT_REVOKED`. */
  readonly reason: string;
  /** Undefined when the client showed none that can be read. */
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  /** What the reason means. */
  readonly cause?: string | undefined;
  /** What to do about it. */
  readonly advice?: string | undefined;
}

type Explanation = Readonly<Pick<RefusedCertificate, 'cause' | 'advice'>>;

const FOREIGN: Explanation = {
  cause: 'its issuer is not among the trusted authorities',
  advice:
    'issue the client a certificate of a trusted authority, or add the issuer to tls.clientCertificateAuthoritiesFile',
};
const SELF_SIGNED: Explanation = {
  cause: 'it is self-signed, or its authority is not trusted',
  advice: FOREIGN.advice,
};
const RENEWAL = 'issue the client a new one';

// Where no list covers the issuer OpenSSL says so, and no longer that it does not know the issuer either.
const NO_LIST = 'UNABLE_TO_GET_CRL';

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  [NO_LIST]: {
    cause: 'the revocation list does not cover this issuer',
    advice: 'add the list of the issuer to tls.certificateRevocationListFile',
  },
  CRL_HAS_EXPIRED: {
    cause: 'the revocation list of its issuer is out of date',
    advice: 'put the present list into tls.certificateRevocationListFile',
  },
  CERT_REVOKED: { cause: 'it is revoked', advice: RENEWAL },
  CERT_HAS_EXPIRED: { cause: 'it has expired', advice: `${RENEWAL}; check the clock of this machine` },
  CERT_NOT_YET_VALID: {
    cause: 'it is not valid yet',
    advice: 'check the clocks of the authority and this machine',
  },
  INVALID_PURPOSE: {
    cause: 'it is not for client authentication, or an issuer is no authority',
    advice: `${RENEWAL}, with the extended key usage clientAuth`,
  },
  UNABLE_TO_GET_ISSUER_CERT: FOREIGN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: FOREIGN,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: FOREIGN,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
};

// A client chooses the names in its certificate.
const LONGEST_NAME = 200;

/**
 * Explains a refusal for the log: whose certificate it was, why, and what to do.
 *
 * @param isIssuerTrusted whether one of the trusted authorities has issued the certificate
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
  return distinguishedName.replaceAll('\n', ', ').slice(0, LONGEST_NAME);
}
