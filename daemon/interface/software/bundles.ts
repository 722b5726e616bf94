import { LOG_LEVELS } from '../../base/logger.ts';
import { z } from '../../base/schema.ts';
import { BUNDLE_STATES, MAXIMUM_BUNDLE_LINES } from './bundle.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';

const listedProvider = z
  .strictObject({
    priority: z.int(),
    /** Names of the header fields that it sees. */
    headers: z.array(z.string()),
    /** SUSPENDED: it does not answer and is passed over. */
    state: z.enum(['ANSWERING', 'SUSPENDED']),
    /** Time in milliseconds since the epoch after which it is asked about one request. */
    nextProbeAt: z.int().optional(),
  })
  .meta({ id: 'BundleProvider' });
const listedStorage = z
  .strictObject({
    /** Bytes on the disk. */
    usedBytes: z.int(),
    maximumBytes: z.int(),
    /** Files and directories. */
    entries: z.int(),
    maximumEntries: z.int(),
    /** The bundle can write no file until it has deleted some. */
    isFull: z.boolean(),
  })
  .meta({ id: 'BundleStorage' });
const listedBundle = z
  .strictObject({
    package: z.string(),
    name: z.string(),
    version: z.string(),
    state: z.enum(BUNDLE_STATES),
    /** What its manifest asks for, and the gateway grants. */
    permissions: z.array(z.string()),
    /** `any`: its authentication providers may name any identity, not only those with permissions for assets alone. */
    identities: z.string().optional(),
    /** Its authentication providers, while it runs. */
    providers: z.array(listedProvider).optional(),
    /** What it stores in its data directory, while it runs. */
    storage: listedStorage.optional(),
    /** Reason for the state FAILED. */
    cause: z.string().optional(),
    /** Time of the next start in milliseconds since the epoch; absent: none is planned. */
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
      .describe('Its logger, what its process prints, or the gateway that supervises it'),
    message: z.string().describe('One line; a character that cannot be seen is written as `\\uXXXX`'),
    fields: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'BundleLine' });
const bundleLog = z.strictObject({ lines: z.array(listedLine) }).meta({ id: 'BundleLog' });
const logQuery = z.object({
  lines: integerParameter(1, MAXIMUM_BUNDLE_LINES)
    .default(100)
    .describe('Maximum number of lines, the last ones'),
});

export type Bundle = Shape<typeof listedBundle>;
export type BundleProvider = Shape<typeof listedProvider>;
export type BundleStorage = Shape<typeof listedStorage>;
export type BundleLine = Shape<typeof listedLine>;

/** Lists bundles. */
export const listBundles = endpoint({
  method: 'GET',
  path: '/services/deploy/v2/_bundles',
  summary: 'Lists the installed bundles with their states',
  access: 'rest.deploy',
  isStatus: true,
  response: { status: 200, schema: z.array(listedBundle) },
});

/** Restarts a bundle. */
export const restartBundle = endpoint({
  method: 'POST',
  path: '/services/deploy/v2/_bundles/:name/_restart',
  summary: 'Restarts a bundle, also one whose restarts were given up',
  access: 'rest.deploy',
  audit: 'BUNDLE_RESTARTED',
  response: { status: 204 },
});

/** Shows what a bundle wrote. */
export const readBundleLog = endpoint({
  method: 'GET',
  path: '/services/deploy/v2/_bundles/:name/_log',
  summary: 'Shows what a bundle wrote last, and what became of it',
  access: 'rest.deploy',
  query: logQuery,
  response: { status: 200, schema: bundleLog },
});
