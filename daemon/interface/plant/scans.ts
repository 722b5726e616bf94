import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 65_536;

const SCAN_STATES = ['RUNNING', 'ENDED', 'FAILED'] as const;
/** The state of a scan that goes on without its client. */
export type ScanState = (typeof SCAN_STATES)[number];

const anyObject = z.record(z.string(), z.unknown());
const timeMs = z.int().describe('Milliseconds since the epoch');

const wish = {
  options: anyObject.default({}).describe('Options of the kind of driver'),
  limitSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(900)
    .describe('Seconds after which the scan ends with what was found until then'),
};
const connectionScan = z.strictObject(wish).meta({ id: 'ConnectionScan' });
const deviceScan = z
  .strictObject({
    type: z.string().describe('Kind of driver'),
    settings: anyObject.describe('Settings of a driver, as far as they are known'),
    ...wish,
  })
  .meta({ id: 'DeviceScan' });

const progress = { done: z.int(), total: z.int().optional(), text: z.string() };
const keptScan = z
  .strictObject({
    id: z.string(),
    type: z.string().describe('Kind of driver'),
    target: z.string().describe('Pid of the driver that has the connection, else where the device is'),
    state: z.enum(SCAN_STATES),
    startedAt: timeMs,
    endedAt: timeMs.optional(),
    done: progress.done.optional().describe('Steps that are done'),
    total: progress.total.describe('Absent where nobody knows how many there will be'),
    text: progress.text.optional().describe('What is being asked'),
    secondsLeft: z.int().optional().describe('Estimate for the present stretch of the scan'),
    found: z.int().describe('How much was found until now'),
  })
  .meta({ id: 'KeptScan' });
const finding = z
  .strictObject({ subject: z.string(), kind: z.string(), text: z.string(), fields: anyObject })
  .meta({ id: 'ScanFinding' });
const foundConnection = z
  .strictObject({
    pid: z.string().optional(),
    type: z.string(),
    settings: anyObject.optional(),
    isRefusing: z.boolean().optional(),
  })
  .meta({ id: 'FoundConnection' });
const proposedAsset = z
  .strictObject({
    pid: z.string(),
    displayName: z.string().optional(),
    template: z.string().optional(),
    parameters: anyObject.optional(),
    channels: z.array(anyObject).optional(),
  })
  .meta({ id: 'ProposedAsset' });
const scanResult = z
  .strictObject({
    isComplete: z.boolean(),
    connection: foundConnection.optional(),
    assets: z.array(proposedAsset),
    notes: z.array(z.string()),
  })
  .meta({ id: 'ScanResult' });
const scanFault = z.strictObject({ code: z.string(), message: z.string() }).meta({ id: 'ScanFault' });
const shownScan = z
  .strictObject({
    ...keptScan.shape,
    settings: anyObject.describe('As they were given, without secrets'),
    findings: z.array(finding),
    result: scanResult.optional(),
    failure: scanFault.optional(),
  })
  .meta({ id: 'ShownScan' });
const scanList = z.strictObject({ scans: z.array(keptScan) }).meta({ id: 'KeptScans' });

const scanEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), data: z.object(progress) }),
  z.object({ type: z.literal('found'), data: finding }),
  z.object({ type: z.literal('result'), data: scanResult }),
  z.object({ type: z.literal('failed'), data: scanFault }),
  z.object({ type: z.literal('end'), data: z.object({ reason: z.string() }) }),
]);

const scan = {
  method: 'POST',
  access: 'rest.configuration',
  response: { status: 200, contentType: 'text/event-stream', schema: scanEvent },
  refusals: [409],
  audit: 'DEVICES_SCANNED',
} as const;

/** Scans settings, and ends with its client. */
export const scanDevice = endpoint({
  ...scan,
  path: '/services/drivers/v1/_scan',
  summary: 'Looks for devices behind settings that need not be configured',
  request: jsonBody(deviceScan, MAXIMUM_BYTES),
});

/** Scans behind a configured connection, and ends with its client. */
export const scanConnection = endpoint({
  ...scan,
  path: '/services/drivers/v1/:pid/_scan',
  summary: 'Looks for devices behind a connection, while its assets go on being read',
  request: jsonBody(connectionScan, MAXIMUM_BYTES),
});

/** Begins a scan that goes on without its client. */
export const startScan = endpoint({
  method: 'POST',
  path: '/services/drivers/v1/_scans',
  summary: 'Looks for devices behind settings, whether somebody waits or not',
  access: 'rest.configuration',
  request: jsonBody(deviceScan, MAXIMUM_BYTES),
  audit: 'DEVICES_SCANNED',
  refusals: [409],
  response: { status: 201, schema: shownScan },
});

/** Lists the scans of the caller. */
export const listScans = endpoint({
  method: 'GET',
  path: '/services/drivers/v1/_scans',
  summary: 'Lists the own scans, the newest first',
  access: 'rest.configuration',
  isStatus: true,
  response: { status: 200, schema: scanList },
});

/** Shows a scan. */
export const readScan = endpoint({
  method: 'GET',
  path: '/services/drivers/v1/_scans/:id',
  summary: 'Shows a scan: how far it is, and what it found',
  access: 'rest.configuration',
  isStatus: true,
  response: { status: 200, schema: shownScan },
});

/** Ends a scan. */
export const stopScan = endpoint({
  method: 'POST',
  path: '/services/drivers/v1/_scans/:id/_stop',
  summary: 'Ends a scan with what was found until then',
  access: 'rest.configuration',
  response: { status: 204 },
});

/** Forgets a scan. */
export const forgetScan = endpoint({
  method: 'DELETE',
  path: '/services/drivers/v1/_scans/:id',
  summary: 'Ends a scan, and forgets what was found',
  access: 'rest.configuration',
  response: { status: 204 },
});

export type FoundConnection = Shape<typeof foundConnection>;
export type KeptScan = Shape<typeof keptScan>;
export type ProposedAsset = Shape<typeof proposedAsset>;
export type ScanFault = Shape<typeof scanFault>;
export type ScanFinding = Shape<typeof finding>;
export type ScanProgress = Shape<z.ZodObject<typeof progress>>;
export type ScanResult = Shape<typeof scanResult>;
export type ShownScan = Shape<typeof shownScan>;
