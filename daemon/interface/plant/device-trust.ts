import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 4096;

const timeMs = z.number().optional().describe('Milliseconds since the epoch; absent: unreadable');
const fingerprint = z
  .string()
  .regex(/^[\dA-Fa-f]{2}(?::?[\dA-Fa-f]{2}){31}$/, 'expected the 64 hexadecimal digits of a SHA-256')
  .transform((text) => text.replaceAll(':', '').toLowerCase());
const description = {
  subject: z.string(),
  issuer: z.string(),
  validFromMs: timeMs,
  validUntilMs: timeMs,
  fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal'),
  alternativeNames: z.array(z.string()),
};
const describedCertificate = z.strictObject(description).meta({ id: 'DeviceCertificate' });
const problem = z
  .strictObject({
    status: z.string(),
    message: z.string(),
    isCurable: z.boolean().describe('True if a driver setting can remove it'),
  })
  .meta({ id: 'CertificateProblem' });
const presentedCertificate = z
  .strictObject({
    ...description,
    issuers: z.array(describedCertificate).describe('Issuer certificates as presented by the device'),
    trustedAs: z
      .enum(['CERTIFICATE', 'AUTHORITY'])
      .optional()
      .describe('Trusted itself or through a trusted authority; absent: not trusted'),
    isNeeded: z.boolean().describe('True if the driver verifies it'),
    problems: z.array(problem).describe('Problems of the certificate, other than missing trust'),
  })
  .meta({ id: 'PresentedCertificate' });
const trustRequest = z
  .strictObject({ fingerprint: fingerprint.describe('SHA-256 of the certificate to trust') })
  .meta({ id: 'TrustRequest' });

const shared = { path: '/services/drivers/v1/:pid/_trust', access: 'rest.configuration' } as const;

/** Shows the certificate of a device. */
export const readDeviceCertificate = endpoint({
  ...shared,
  method: 'GET',
  summary: 'Shows the certificate that a device currently presents',
  isStatus: true,
  response: { status: 200, schema: presentedCertificate },
  refusals: [502],
});

/** Trusts the certificate of a device. */
export const trustDeviceCertificate = endpoint({
  ...shared,
  method: 'POST',
  summary: 'Trusts the certificate that a device presents, if it has this fingerprint',
  request: jsonBody(trustRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: presentedCertificate },
  refusals: [409, 502],
  audit: 'TRUST_CHANGED',
});

/** Removes trust from a certificate. */
export const distrustDeviceCertificate = endpoint({
  ...shared,
  method: 'DELETE',
  summary: 'Removes trust from a certificate, effective with the next connection',
  query: z.object({ fingerprint: fingerprint.describe('SHA-256 of the certificate, in hexadecimal') }),
  response: { status: 200, schema: describedCertificate },
  refusals: [409],
  audit: 'TRUST_CHANGED',
});

export type PresentedCertificate = Shape<typeof presentedCertificate>;
