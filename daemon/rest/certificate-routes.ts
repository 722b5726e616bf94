import { z } from '../base/schema.ts';
import { noContent } from '../http/answer.ts';
import { jsonBody } from '../interface/endpoint.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const MAXIMUM_BYTES = 65_536;
const MOST_CERTIFICATES = 100;

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

/** Creates the endpoint by which the authority on the machine, which is no part of the daemon, has its work recorded. */
export function createCertificateRoutes(): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/services/audit/v1/_certificates',
      summary:
        'Records that the private authority has issued or revoked certificates, for penstock certificate',
      access: 'rest.admin',
      request: jsonBody(report, MAXIMUM_BYTES),
      response: { status: 204 },
      audit: 'CERTIFICATE_ISSUED',
      handle(context) {
        const { operation, certificates } = context.body;
        context.auditNote = {
          event: operation === 'ISSUED' ? 'CERTIFICATE_ISSUED' : 'CERTIFICATE_REVOKED',
          details: certificates,
        };
        return noContent();
      },
    }),
  ];
}
