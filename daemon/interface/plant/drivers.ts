import { z } from '../../base/schema.ts';
import { channelValue } from './channel-value.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const CONNECTION_STATES = ['DISCONNECTED', 'CONNECTING', 'CONNECTED', 'BACKING_OFF'] as const;
/** The state of a connection. */
export type ConnectionState = (typeof CONNECTION_STATES)[number];

const TEST_OUTCOMES = ['ANSWERED', 'CONNECTED', 'FAILED'] as const;
/** What a test of a connection has shown; CONNECTED: there was nothing to ask for. */
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
    lostSince: time.optional().describe('Since when there is no connection, through all attempts'),
    lastError: z.string().optional(),
    lastErrorAt: time.optional(),
    nextAttemptAt: time.optional(),
    warnings: z
      .array(z.string())
      .optional()
      .describe('What is allowed and may be a mistake in the configuration'),
    counters: z.record(z.string(), z.int()),
  })
  .meta({ id: 'DriverStatus' });

const driverInfo = z
  .strictObject({
    ...driverStatus.shape,
    assets: z.array(z.string()).describe('Pids of the assets that it serves'),
  })
  .meta({ id: 'DriverInfo' });

const connectionTest = z
  .strictObject({
    pid: z.string(),
    endpoint: z.string(),
    outcome: z.enum(TEST_OUTCOMES).describe('CONNECTED: the link stands, and there was nothing to ask for'),
    durationMs: z.int().min(0),
    asked: z.string().optional().describe('What was asked for, for people'),
    value: channelValue.optional(),
    message: z.string().optional().describe('Why no value came'),
    statusCode: z
      .string()
      .optional()
      .describe('What the device said instead of a value, else the code of the failure'),
    advice: z.array(z.string()).optional().describe('Settings that the device needs, for people'),
  })
  .meta({ id: 'ConnectionTest' });

/** Lists the connections to devices. */
export const listDrivers = endpoint({
  method: 'GET',
  path: '/services/drivers/v1',
  summary: 'Lists the drivers with the state of their connections',
  access: 'rest.configuration',
  isStatus: true,
  response: { status: 200, schema: z.array(driverInfo) },
});

/** Tests a connection. */
export const testDriver = endpoint({
  method: 'POST',
  path: '/services/drivers/v1/:pid/_test',
  summary: 'Connects to a device, asks it once, and says what came',
  access: 'rest.configuration',
  response: { status: 200, schema: connectionTest },
});

export type ConnectionTest = Shape<typeof connectionTest>;
export type DriverInfo = Shape<typeof driverInfo>;
export type DriverStatus = Shape<typeof driverStatus>;
