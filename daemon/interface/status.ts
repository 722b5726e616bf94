import { LOG_LEVELS } from '../base/logger.ts';
import { z } from '../base/schema.ts';
import { finding } from './finding.ts';
import { endpoint } from './endpoint.ts';
import { integerParameter } from './query-parameter.ts';
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
    finding: finding.optional().describe('Code and values of the detail'),
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

const logLine = z
  .strictObject({
    id: z.int().describe('Ascending from 1 since the start of the gateway'),
    time: z.string().describe('RFC 3339, UTC'),
    level: z.enum(LOG_LEVELS),
    event: z.string(),
    fields: z.record(z.string(), z.unknown()).describe('What else the line contains, without secrets'),
  })
  .meta({ id: 'LogLine' });
const gatewayLog = z
  .strictObject({
    lines: z.array(logLine),
    newest: z.int().describe('Id of the newest line; 0: none'),
    run: z.string().describe('Another one: the gateway has started again, and its ids with 1'),
    isIncomplete: z.boolean().describe('Lines after `after` are no longer kept'),
  })
  .meta({ id: 'GatewayLog' });
const logQuery = z.object({
  after: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Only lines with a larger id, the oldest first; absent: the newest lines'),
  limit: integerParameter(1, 1000).default(500).describe('Maximum number of lines, 1 to 1,000; default: 500'),
});

const supportReport = z
  .strictObject({
    createdAt: time,
    gateway: z
      .strictObject({
        version: z.string(),
        runtime: z.string(),
        system: z.string(),
        architecture: z.string(),
        hostName: z.string(),
        uptimeSeconds: z.int().describe('Of the gateway'),
        machineUptimeSeconds: z.int(),
        memoryBytes: z.int().describe('Resident memory of the gateway'),
        machineMemoryBytes: z.int(),
      })
      .meta({ id: 'SupportedGateway' }),
    responses: z
      .record(z.string(), z.unknown())
      .describe('By path, what the gateway returns to a GET of its states, log and configuration'),
  })
  .meta({ id: 'SupportReport' });

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

/** Returns recent lines of the log. */
export const readGatewayLog = endpoint({
  method: 'GET',
  path: '/services/status/v1/log',
  summary: 'Returns recent lines of the log, without secrets',
  access: 'rest.admin',
  isStatus: true,
  query: logQuery,
  response: { status: 200, schema: gatewayLog },
});

/** Collects what support needs. */
export const collectSupport = endpoint({
  method: 'GET',
  path: '/services/status/v1/support',
  summary: 'Collects versions, states, log and configuration for support, without secrets',
  access: 'rest.admin',
  response: { status: 200, schema: supportReport },
});

export type LogLine = Shape<typeof logLine>;
export type SupportReport = Shape<typeof supportReport>;
