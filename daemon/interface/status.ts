import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';
import type { Shape } from './endpoint.ts';

/** Who hears of what happens may know how things are. */
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
    ]),
    name: z.string().optional().describe('What was checked, where there are several'),
    driver: z.string().optional().describe('The driver of a unit'),
    state: z.enum(['GOOD', 'WARNING', 'WRONG', 'UNKNOWN']).describe('UNKNOWN: nobody has asked yet'),
    detail: z.string(),
    since: time.optional(),
    until: time.optional().describe('Milliseconds since the epoch at which a certificate expires'),
    nextAttemptAt: time.optional(),
    channels: z.int().optional().describe('How many channels of the asset fail'),
    freeBytes: z.int().optional().describe('Of the disk with the state'),
    totalBytes: z.int().optional(),
    waitingEvents: z
      .int()
      .optional()
      .describe('Events of the audit that the place or the store has not yet taken'),
    lostEvents: z.int().optional().describe('Events of the audit that were lost since the start'),
    lastEventId: z.int().optional().describe('The last event that it has taken; 0: none'),
    lastTakenAt: time.optional().describe('Absent: it has taken nothing since the start'),
  })
  .meta({ id: 'GatewayCheck' });
const gatewayStatus = z.strictObject({ checks: z.array(gatewayCheck) }).meta({ id: 'GatewayStatus' });
const knownCertificate = z
  .strictObject({
    role: z.enum(['SERVER', 'CLIENT_AUTHORITY']),
    subject: z.string(),
    fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal digits'),
    validFrom: time,
    validUntil: time,
    refusal: z
      .string()
      .optional()
      .describe('Why client certificates of the authority are refused; absent when they are not'),
  })
  .meta({ id: 'KnownCertificate' });
const certificateList = z
  .strictObject({
    certificates: z.array(knownCertificate),
    revocationLists: z.int().describe('Revocation lists in force; 0: revocation is not checked'),
  })
  .meta({ id: 'CertificateList' });

export type GatewayCheck = Shape<typeof gatewayCheck>;
export type KnownCertificate = Shape<typeof knownCertificate>;

/** Checks the gateway. */
export const checkStatus = endpoint({
  method: 'GET',
  path: '/services/status/v1',
  summary:
    'Checks clock, disk, reload, files, certificates, connections, channels, bundles, the audit and its export, without asking a device',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: gatewayStatus },
});

/** Lists certificates in force. */
export const listCertificates = endpoint({
  method: 'GET',
  path: '/services/status/v1/certificates',
  summary: 'Lists the certificate that is served and the authorities whose clients are trusted',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: certificateList },
});
