import { z } from '../../base/schema.ts';
import { channelValue } from './channel-value.ts';
import { faultReason, faultReasons } from '../failure.ts';
import { finding } from '../finding.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const CONNECTION_STATES = ['DISCONNECTED', 'CONNECTING', 'CONNECTED', 'BACKING_OFF'] as const;
/** The state of a connection. */
export type ConnectionState = (typeof CONNECTION_STATES)[number];

const TEST_OUTCOMES = ['ANSWERED', 'CONNECTED', 'FAILED'] as const;
/** Result of a connection test; CONNECTED: there was nothing to read. */
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

const time = z.int().describe('Milliseconds since the epoch');

/** The state of a connection. */
export const driverStatus = z
  .strictObject({
    pid: z.string(),
    type: z.string(),
    endpoint: z.string(),
    state: z.enum(CONNECTION_STATES),
    since: time,
    lostSince: time.optional().describe('Time of the connection loss, not reset by reconnection attempts'),
    lastError: z.string().optional(),
    lastErrorCode: z.string().optional(),
    lastErrorReasons: faultReasons,
    lastErrorAt: time.optional(),
    nextAttemptAt: time.optional(),
    warnings: z.array(z.string()).optional().describe('Valid settings that may be mistakes'),
    findings: z.array(finding).optional().describe('Codes and values of the sentences in warnings'),
    counters: z.record(z.string(), z.int()),
  })
  .meta({ id: 'DriverStatus' });

const driverInfo = z
  .strictObject({
    ...driverStatus.shape,
    assets: z.array(z.string()).describe('Pids of the assets on this connection'),
  })
  .meta({ id: 'DriverInfo' });

const connectionTest = z
  .strictObject({
    pid: z.string(),
    endpoint: z.string(),
    outcome: z.enum(TEST_OUTCOMES).describe('CONNECTED: connected, with nothing to read'),
    durationMs: z.int().min(0),
    asked: z.string().optional().describe('Description of the request'),
    askedReasons: z
      .array(faultReason)
      .optional()
      .describe('Description of the request by code, with its values'),
    value: channelValue.optional(),
    message: z.string().optional().describe('Reason for the missing value'),
    statusCode: z
      .string()
      .optional()
      .describe('Status reported by the device instead of a value, otherwise the failure code'),
    reasons: faultReasons,
    advice: z.array(z.string()).optional().describe('Suggested settings for the device'),
  })
  .meta({ id: 'ConnectionTest' });

/** Lists the connections to devices. */
export const listDrivers = endpoint({
  method: 'GET',
  path: '/services/drivers/v1',
  summary: 'Lists the drivers with their connection states',
  access: 'rest.configuration',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.array(driverInfo) },
});

/** Tests a connection. */
export const testDriver = endpoint({
  method: 'POST',
  path: '/services/drivers/v1/:pid/_test',
  summary: 'Connects to a device, sends one request and returns the result',
  access: 'rest.configuration',
  response: { status: 200, schema: connectionTest },
});

export type ConnectionTest = Shape<typeof connectionTest>;
export type DriverInfo = Shape<typeof driverInfo>;
export type DriverStatus = Shape<typeof driverStatus>;
