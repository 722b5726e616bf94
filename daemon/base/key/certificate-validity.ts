import type { X509Certificate } from 'node:crypto';

/** When a certificate is valid, in milliseconds since the epoch; NaN for a time that cannot be read. */
interface CertificateValidity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Reads when a certificate is valid. For a time that is none, Node.js gives whatever lies in memory as `validToDate`; its text
 * tells.
 */
export function readValidity(certificate: X509Certificate): CertificateValidity {
  const { validFrom, validTo, validFromDate, validToDate } = certificate;
  return {
    fromMs: Number.isNaN(Date.parse(validFrom)) ? Number.NaN : validFromDate.getTime(),
    untilMs: Number.isNaN(Date.parse(validTo)) ? Number.NaN : validToDate.getTime(),
  };
}
