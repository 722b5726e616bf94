import type { X509Certificate } from 'node:crypto';

/** Validity period of a certificate, in milliseconds since the epoch; NaN for a time that cannot be parsed. */
interface CertificateValidity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Reads the validity period of a certificate. For an invalid time, the `validToDate` of Node.js is undefined memory; its text
 * is reliable.
 */
export function readValidity(certificate: X509Certificate): CertificateValidity {
  const { validFrom, validTo, validFromDate, validToDate } = certificate;
  return {
    fromMs: Number.isNaN(Date.parse(validFrom)) ? Number.NaN : validFromDate.getTime(),
    untilMs: Number.isNaN(Date.parse(validTo)) ? Number.NaN : validToDate.getTime(),
  };
}
