import { LOG_LEVELS } from '../../base/logger.ts';
import { z } from '../../base/schema.ts';
import { BUNDLE_STATES, MAXIMUM_BUNDLE_LINES } from './bundle.ts';
import { faultReason } from '../failure.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';

const listedProvider = z
  .strictObject({
    priority: z.int(),
    /** Names of the headers that the provider receives. */
    headers: z.array(z.string()),
    /** SUSPENDED: the provider does not respond and is skipped. */
    state: z.enum(['ANSWERING', 'SUSPENDED']),
    /** Earliest time of the next probe request, in milliseconds since the epoch. */
    nextProbeAt: z.int().optional(),
  })
  .meta({ id: 'BundleProvider' });
const listedStorage = z
  .strictObject({
    /** Disk usage in bytes. */
    usedBytes: z.int(),
    maximumBytes: z.int(),
    /** Files and directories. */
    entries: z.int(),
    maximumEntries: z.int(),
    /** True if the bundle cannot write until it has deleted files. */
    isFull: z.boolean(),
  })
  .meta({ id: 'BundleStorage' });
const REPORTED_STATES = ['OK', 'WARNING', 'ERROR'] as const;
const germanCheck = z
  .strictObject({
    name: z.string().optional(),
    detail: z.string().optional(),
    remedy: z.string().optional(),
  })
  .meta({ id: 'GermanBundleCheck' });
const germanReport = z.strictObject({ detail: z.string() }).meta({ id: 'GermanBundleReport' });
const bundleCheck = z
  .strictObject({
    name: z.string().describe('What the bundle checked, for example a server'),
    state: z.enum(REPORTED_STATES),
    detail: z.string(),
    remedy: z.string().optional().describe('What the operator can do'),
    de: germanCheck.optional().describe('The same in German'),
  })
  .meta({ id: 'BundleCheck' });
const bundleStatus = z
  .strictObject({
    state: z.enum(REPORTED_STATES),
    detail: z.string().optional(),
    de: germanReport.optional().describe('The same in German'),
    counters: z.record(z.string(), z.number()).optional(),
    checks: z.array(bundleCheck).optional(),
  })
  .meta({ id: 'BundleStatus' });
const settingsOutcome = z
  .strictObject({
    state: z.enum(['PENDING', 'ACCEPTED', 'REFUSED']),
    detail: z
      .string()
      .optional()
      .describe('Reason why the bundle refused them; it continues with those before'),
  })
  .meta({ id: 'BundleSettingsOutcome' });
const listedBundle = z
  .strictObject({
    package: z.string(),
    name: z.string(),
    version: z.string(),
    state: z.enum(BUNDLE_STATES),
    /** Permissions of the manifest, as granted by the gateway. */
    permissions: z.array(z.string()),
    /** `any`: its authentication providers may name any identity, not only identities with asset permissions alone. */
    identities: z.string().optional(),
    /** Authentication providers of the bundle, while it runs. */
    providers: z.array(listedProvider).optional(),
    /** Usage of the data directory, while the bundle runs. */
    storage: listedStorage.optional(),
    status: bundleStatus.optional().describe('What the bundle reports of itself while it runs'),
    settings: settingsOutcome
      .optional()
      .describe('Outcome of the last change of its settings while it runs; absent: none since its start'),
    /** Memory in MiB that its manifest requests. */
    memoryMib: z.int().optional(),
    /** True if its package describes settings; absent otherwise. */
    hasSettings: z.boolean().optional(),
    /** Reason for the state FAILED, or for a start that waits for settings. */
    cause: z.string().optional(),
    causeCode: z.string().optional(),
    causeReasons: z
      .array(faultReason)
      .optional()
      .describe('Sentences of the cause by code, with their values; absent if one has no code'),
    /** Time of the next restart in milliseconds since the epoch; absent: none planned. */
    restartAt: z.int().optional(),
  })
  .meta({ id: 'Bundle' });

const listedLine = z
  .strictObject({
    time: z.int().describe('Milliseconds since the epoch'),
    version: z.string(),
    level: z.enum(LOG_LEVELS),
    source: z
      .enum(['LOGGER', 'OUTPUT', 'GATEWAY'])
      .describe('Logger of the bundle, output of its process, or the supervising gateway'),
    message: z.string().describe('One line; non-printable characters are escaped as `\\uXXXX`'),
    fields: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'BundleLine' });
const bundleLog = z.strictObject({ lines: z.array(listedLine) }).meta({ id: 'BundleLog' });
const logQuery = z.object({
  lines: integerParameter(1, MAXIMUM_BUNDLE_LINES)
    .default(100)
    .describe('Maximum number of most recent lines'),
});

export type Bundle = Shape<typeof listedBundle>;
export type BundleProvider = Shape<typeof listedProvider>;
export type BundleCheck = Shape<typeof bundleCheck>;
export type BundleStorage = Shape<typeof listedStorage>;
export type BundleLine = Shape<typeof listedLine>;

/** Lists bundles. */
export const listBundles = endpoint({
  method: 'GET',
  path: '/services/deploy/v2/_bundles',
  summary: 'Lists the installed bundles with their states',
  access: 'rest.deploy',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.array(listedBundle) },
});

/** Restarts a bundle, even after its restarts were exhausted. */
export const restartBundle = endpoint({
  method: 'POST',
  path: '/services/deploy/v2/_bundles/:name/_restart',
  summary: 'Restarts a bundle, even if automatic restarts have stopped',
  access: 'rest.deploy',
  audit: 'BUNDLE_RESTARTED',
  response: { status: 204 },
});

/** Returns the recent log of a bundle. */
export const readBundleLog = endpoint({
  method: 'GET',
  path: '/services/deploy/v2/_bundles/:name/_log',
  summary: 'Returns recent output and state changes of a bundle',
  access: 'rest.deploy',
  query: logQuery,
  response: { status: 200, schema: bundleLog },
});
