import { createHash } from 'node:crypto';
import type { X509Certificate } from 'node:crypto';

import { readValidity } from '../../../daemon/base/key/certificate-validity.ts';
import type { DescribedCertificate } from '../../../daemon/channel/trusting-driver.ts';

// Certificates of unknown servers are shown to operators.
const MAXIMUM_NAME = 500;
const MAXIMUM_NAMES = 50;

/** Describes a certificate for operators. */
export function describeCertificate(certificate: X509Certificate): DescribedCertificate {
  const { subject, issuer, subjectAltName = '' } = certificate;
  const { fromMs, untilMs } = readValidity(certificate);
  return {
    subject: toLine(subject),
    issuer: toLine(issuer),
    validFromMs: toTimeMs(fromMs),
    validUntilMs: toTimeMs(untilMs),
    fingerprint: fingerprintOf(certificate),
    alternativeNames:
      subjectAltName === '' ? [] : subjectAltName.split(', ').slice(0, MAXIMUM_NAMES).map(cut),
  };
}

/** Returns the SHA-256 fingerprint of a certificate, in lower-case hexadecimal digits. */
export function fingerprintOf({ raw }: X509Certificate): string {
  return createHash('sha256').update(raw).digest('hex');
}

// OpenSSL returns one relative name per line; undefined if there is none.
function toLine(name: string | undefined): string {
  return cut((name ?? '').replaceAll('\n', ', '));
}

function cut(text: string): string {
  return text.slice(0, MAXIMUM_NAME);
}

function toTimeMs(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}
