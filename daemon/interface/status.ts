import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';
import type { Shape } from './endpoint.ts';

// Reading the state needs no more than following its events.
const PERMISSION = 'rest.events';

const time = z.int().describe('Milliseconds since the epoch');
const gatewayCheck = z
  .strictObject({
    check: z.enum([
      'clock',
      'disk',
      'reload',
      'configuration',
      'certificate',
      'connection',
      'secret',
      'unit',
      'channel',
      'bundle',
      'auditLog',
      'audit',
      'recording',
    ]),
    name: z.string().optional().describe('Name of the checked object; absent if there is only one'),
    driver: z.string().optional().describe('Driver of a unit'),
    state: z.enum(['GOOD', 'WARNING', 'WRONG', 'UNKNOWN']).describe('UNKNOWN: not requested yet'),
    detail: z.string(),
    since: time.optional(),
    until: time.optional().describe('Expiry of a certificate, in milliseconds since the epoch'),
    nextAttemptAt: time.optional(),
    channels: z.int().optional().describe('Number of failing channels of the asset'),
    freeBytes: z.int().optional().describe('Free space on the data disk'),
    totalBytes: z.int().optional(),
    waitingEvents: z
      .int()
      .optional()
      .describe('Audit events that the destination or the store has not yet accepted'),
    lostEvents: z.int().optional().describe('Audit events lost since the start'),
    lastEventId: z.int().optional().describe('Last event that the destination has accepted; 0: none'),
    lastTakenAt: time.optional().describe('Absent: no event accepted since the start'),
  })
  .meta({ id: 'GatewayCheck' });
const gatewayStatus = z.strictObject({ checks: z.array(gatewayCheck) }).meta({ id: 'GatewayStatus' });
const activeCertificate = z
  .strictObject({
    role: z.enum(['SERVER', 'CLIENT_AUTHORITY']),
    subject: z.string(),
    fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal'),
    validFrom: time,
    validUntil: time,
    refusal: z
      .string()
      .optional()
      .describe('Reason for refusing client certificates of this authority; absent: they are accepted'),
  })
  .meta({ id: 'ActiveCertificate' });
const certificateList = z
  .strictObject({
    certificates: z.array(activeCertificate),
    revocationLists: z.int().describe('Number of active revocation lists; 0: revocation is not checked'),
  })
  .meta({ id: 'CertificateList' });

export type GatewayCheck = Shape<typeof gatewayCheck>;
export type ActiveCertificate = Shape<typeof activeCertificate>;

/** Checks the gateway. */
export const checkStatus = endpoint({
  method: 'GET',
  path: '/services/status/v1',
  summary:
    'Checks clock, disk, reload, files, certificates, connections, channels, bundles, the audit and its export, and the recording; sends no requests to devices',
  access: PERMISSION,
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: gatewayStatus },
});

/** Lists the active certificates. */
export const listCertificates = endpoint({
  method: 'GET',
  path: '/services/status/v1/certificates',
  summary: 'Lists the server certificate and the trusted client authorities',
  access: PERMISSION,
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: certificateList },
});
