import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { codedFault, faultReason } from '../failure.ts';

const MAXIMUM_BYTES = 65_536;

const SCAN_STATES = ['RUNNING', 'ENDED', 'FAILED'] as const;
/** State of a background scan. */
export type ScanState = (typeof SCAN_STATES)[number];

const anyObject = z.record(z.string(), z.unknown());
const timeMs = z.int().describe('Milliseconds since the epoch');

const scanOptions = {
  options: anyObject.default({}).describe('Options of the driver type'),
  limitSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(900)
    .describe('Seconds after which the scan ends with the results so far'),
};
const connectionScan = z.strictObject(scanOptions).meta({ id: 'ConnectionScan' });
const deviceScan = z
  .strictObject({
    type: z.string().describe('Driver type'),
    settings: anyObject.describe('Known driver settings'),
    ...scanOptions,
  })
  .meta({ id: 'DeviceScan' });

const reasons = z
  .array(faultReason)
  .optional()
  .describe('Sentences of the text by code, with their values; absent if it has names and values alone');
const progress = { done: z.int(), total: z.int().optional(), text: z.string(), reasons };
const scanSummary = z
  .strictObject({
    id: z.string(),
    type: z.string().describe('Driver type'),
    target: z
      .string()
      .describe('Pid of the driver with the connection, otherwise the location of the device'),
    state: z.enum(SCAN_STATES),
    startedAt: timeMs,
    endedAt: timeMs.optional(),
    done: progress.done.optional().describe('Completed steps'),
    total: progress.total.describe('Total steps; absent: unknown'),
    text: progress.text.optional().describe('Current step'),
    reasons,
    secondsLeft: z.int().optional().describe('Estimated seconds left in the current phase'),
    found: z.int().describe('Number of findings so far'),
  })
  .meta({ id: 'ScanSummary' });
const finding = z
  .strictObject({
    subject: z.string(),
    subjectReasons: z
      .array(faultReason)
      .optional()
      .describe('Words of the subject by code, with their values; absent if it is a name'),
    kind: z.string(),
    text: z.string(),
    reasons,
    fields: anyObject,
  })
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
    details: z.array(codedFault).optional().describe('The notes with their codes'),
  })
  .meta({ id: 'ScanResult' });
const scanFault = z.strictObject({ code: z.string(), message: z.string() }).meta({ id: 'ScanFault' });
const shownScan = z
  .strictObject({
    ...scanSummary.shape,
    settings: anyObject.describe('Settings of the request, without secrets'),
    findings: z.array(finding),
    result: scanResult.optional(),
    failure: scanFault.optional(),
  })
  .meta({ id: 'ShownScan' });
const scanList = z.strictObject({ scans: z.array(scanSummary) }).meta({ id: 'BackgroundScans' });

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

/** Scans with the given settings while the client is connected. */
export const scanDevice = endpoint({
  ...scan,
  path: '/services/drivers/v1/_scan',
  summary: 'Scans for devices with settings from the request',
  request: jsonBody(deviceScan, MAXIMUM_BYTES),
});

/** Scans over a configured connection while the client is connected. */
export const scanConnection = endpoint({
  ...scan,
  path: '/services/drivers/v1/:pid/_scan',
  summary: 'Scans for devices over a configured connection while its assets are read',
  request: jsonBody(connectionScan, MAXIMUM_BYTES),
});

/** Starts a background scan. */
export const startScan = endpoint({
  method: 'POST',
  path: '/services/drivers/v1/_scans',
  summary: 'Starts a background scan for devices with settings from the request',
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
  summary: 'Lists the scans of the caller, newest first',
  access: 'rest.configuration',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: scanList },
});

/** Shows a scan. */
export const readScan = endpoint({
  method: 'GET',
  path: '/services/drivers/v1/_scans/:id',
  summary: 'Shows the progress and findings of a scan',
  access: 'rest.configuration',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: shownScan },
});

/** Stops a scan. */
export const stopScan = endpoint({
  method: 'POST',
  path: '/services/drivers/v1/_scans/:id/_stop',
  summary: 'Stops a scan and keeps the results so far',
  access: 'rest.configuration',
  response: { status: 204 },
});

/** Deletes a scan. */
export const forgetScan = endpoint({
  method: 'DELETE',
  path: '/services/drivers/v1/_scans/:id',
  summary: 'Stops a scan and deletes its results',
  access: 'rest.configuration',
  response: { status: 204 },
});

export type FoundConnection = Shape<typeof foundConnection>;
export type ScanSummary = Shape<typeof scanSummary>;
export type ProposedAsset = Shape<typeof proposedAsset>;
export type ScanFault = Shape<typeof scanFault>;
export type ScanFinding = Shape<typeof finding>;
export type ScanProgress = Shape<z.ZodObject<typeof progress>>;
export type ScanResult = Shape<typeof scanResult>;
export type ShownScan = Shape<typeof shownScan>;
