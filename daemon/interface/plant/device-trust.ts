import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 4096;

const timeMs = z.number().optional().describe('Milliseconds since the epoch; absent when it cannot be read');
const fingerprint = z
  .string()
  .regex(/^[\dA-Fa-f]{2}(?::?[\dA-Fa-f]{2}){31}$/, 'expected the 64 hexadecimal digits of a SHA-256')
  .transform((text) => text.replaceAll(':', '').toLowerCase());
const description = {
  subject: z.string(),
  issuer: z.string(),
  validFromMs: timeMs,
  validUntilMs: timeMs,
  fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal digits'),
  alternativeNames: z.array(z.string()),
};
const describedCertificate = z.strictObject(description).meta({ id: 'DeviceCertificate' });
const problem = z
  .strictObject({
    status: z.string(),
    message: z.string(),
    isCurable: z.boolean().describe('A setting of the driver can remove it'),
  })
  .meta({ id: 'CertificateProblem' });
const presentedCertificate = z
  .strictObject({
    ...description,
    issuers: z.array(describedCertificate).describe('The certificates above it, as the device presents them'),
    trustedAs: z
      .enum(['CERTIFICATE', 'AUTHORITY'])
      .optional()
      .describe('By itself, or because an authority above it is trusted; absent when it is not trusted'),
    isNeeded: z.boolean().describe('Whether the driver checks it'),
    problems: z.array(problem).describe('What is wrong with it, beside that it may not be trusted'),
  })
  .meta({ id: 'PresentedCertificate' });
const trustRequest = z
  .strictObject({ fingerprint: fingerprint.describe('SHA-256 of the certificate that is to be trusted') })
  .meta({ id: 'TrustRequest' });

const shared = { path: '/services/drivers/v1/:pid/_trust', access: 'rest.configuration' } as const;

/** Shows the certificate of a device. */
export const readDeviceCertificate = endpoint({
  ...shared,
  method: 'GET',
  summary: 'Shows the certificate that a device presents now',
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

/** Trusts a certificate no longer. */
export const distrustDeviceCertificate = endpoint({
  ...shared,
  method: 'DELETE',
  summary: 'Trusts a certificate no longer, from the next connection on',
  query: z.object({ fingerprint }),
  response: { status: 200, schema: describedCertificate },
  refusals: [409],
  audit: 'TRUST_CHANGED',
});

export type PresentedCertificate = Shape<typeof presentedCertificate>;
