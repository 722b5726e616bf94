import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 65_536;

/** Maximum certificates of one report. */
export const MAXIMUM_CERTIFICATES = 100;

const certificate = z
  .strictObject({
    name: z.string().min(1).max(255).describe('Client identity or server names'),
    purpose: z.enum(['authority', 'client', 'server']),
    serialNumber: z.string().regex(/^[0-9a-f]{1,40}$/, 'expected hexadecimal digits'),
    expiresAtMs: z.int().min(0).describe('Milliseconds since the epoch'),
  })
  .meta({ id: 'IssuedCertificate' });
const report = z
  .strictObject({
    operation: z.enum(['ISSUED', 'REVOKED']),
    certificates: z.array(certificate).min(1).max(MAXIMUM_CERTIFICATES),
  })
  .meta({ id: 'CertificateReport' });

/** Records certificates issued or revoked by the private authority on this machine, which is not part of the daemon. */
export const reportCertificates = endpoint({
  method: 'POST',
  path: '/services/audit/v1/_certificates',
  summary: 'Records certificates issued or revoked by the private authority; used by penstock certificate',
  access: 'rest.admin',
  request: jsonBody(report, MAXIMUM_BYTES),
  response: { status: 204 },
  audit: 'CERTIFICATE_ISSUED',
});

export type CertificateReport = Shape<typeof report>;
