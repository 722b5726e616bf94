import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 65_536;

/** Certificates of one report at most. */
export const MOST_CERTIFICATES = 100;

const certificate = z
  .strictObject({
    name: z.string().min(1).max(255).describe('Identity of a client, or names of a server'),
    purpose: z.enum(['authority', 'client', 'server']),
    serialNumber: z.string().regex(/^[0-9a-f]{1,40}$/, 'expected hexadecimal digits'),
    expiresAtMs: z.int().min(0).describe('Milliseconds since the epoch'),
  })
  .meta({ id: 'IssuedCertificate' });
const report = z
  .strictObject({
    operation: z.enum(['ISSUED', 'REVOKED']),
    certificates: z.array(certificate).min(1).max(MOST_CERTIFICATES),
  })
  .meta({ id: 'CertificateReport' });

/** Records work of the authority on the machine, which is no part of the daemon. */
export const reportCertificates = endpoint({
  method: 'POST',
  path: '/services/audit/v1/_certificates',
  summary: 'Records that the private authority has issued or revoked certificates, for penstock certificate',
  access: 'rest.admin',
  request: jsonBody(report, MAXIMUM_BYTES),
  response: { status: 204 },
  audit: 'CERTIFICATE_ISSUED',
});

export type CertificateReport = Shape<typeof report>;
