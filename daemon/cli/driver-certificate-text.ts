import { formatFields } from './fields.ts';
import type { PresentedCertificate } from '../interface/device-trust.ts';
import { formatLocalTime } from './local-time.ts';

const TRUST = {
  CERTIFICATE: 'this certificate is trusted',
  AUTHORITY: 'an authority above it is trusted, so this certificate is as well',
} as const;

/** Describes the certificate that a device presents, for the person who compares it with the device. */
export function describePresented(presented: PresentedCertificate): string {
  const { subject, issuer, issuers, validFromMs, validUntilMs, fingerprint, alternativeNames } = presented;
  const { trustedAs, isNeeded, problems } = presented;
  return formatFields([
    ['Certificate', subject],
    ['Issuer', issuer === subject ? 'itself' : issuer],
    ...issuers.map((each) => ['Presented issuer', each.subject] as const),
    ['For', alternativeNames.join(', ')],
    ['Valid from', formatTime(validFromMs)],
    ['Valid until', formatTime(validUntilMs)],
    ['SHA-256', groupFingerprint(fingerprint)],
    ...problems.map(({ status, message }) => ['Problem', `${message} (${status})`] as const),
    ['Trust', trustedAs === undefined ? 'not trusted yet' : TRUST[trustedAs]],
    ['Note', isNeeded ? undefined : 'with securityMode NONE the driver checks no certificate'],
  ]);
}

/** Writes a fingerprint as devices display it, in two halves that fit a terminal. */
export function groupFingerprint(fingerprint: string): string {
  const octets = (fingerprint.match(/../g) ?? []).map((octet) => octet.toUpperCase());
  const half = octets.length / 2;
  return `${octets.slice(0, half).join(':')}: ${octets.slice(half).join(':')}`;
}

function formatTime(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : formatLocalTime(epochMs);
}
