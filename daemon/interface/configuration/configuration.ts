import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Endpoint, Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';

const PERMISSION = 'rest.configuration';
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** The parameters of a change, each at most once. */
export const changeQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  confirmWithin: integerParameter(1, 86_400).optional(),
});

const names = z.array(z.string());

/** The effect of a change, or of a dry run. */
const changePlan = z
  .strictObject({
    snapshot: z.int(),
    added: names,
    changed: names,
    removed: names,
    restartedConnections: names,
    cutsOff: names.describe('What clients can no longer use'),
    changedTemplates: names
      .optional()
      .describe('Device templates that have changed; their assets change with this'),
    warnings: names.optional().describe('What is allowed and may be a mistake'),
  })
  .meta({ id: 'ChangePlan' });

const anyDocument = {
  ...jsonBody(z.unknown(), MAXIMUM_BYTES),
  alternativeType: 'application/yaml',
} as const;
const snapshotHead = z
  .strictObject({
    id: z.int(),
    createdAt: z.int(),
    author: z
      .string()
      .optional()
      .describe('The identity that made it; absent: a provision file, or a change that was taken back'),
  })
  .meta({ id: 'SnapshotHead' });
const pendingChange = z
  .strictObject({
    pending: z
      .strictObject({
        snapshot: z.int(),
        revertTo: z.int().describe('Number of the snapshot that comes back; 0: the empty document'),
        author: z.string().optional().describe('The identity that made the change'),
        secondsLeft: z.int().describe('Seconds until the change is taken back'),
        revertAt: z.int().describe('The same as milliseconds since the epoch'),
      })
      .meta({ id: 'PendingChange' })
      .optional()
      .describe('Absent: no change waits'),
  })
  .meta({ id: 'PendingConfirmation' });
const meantQuery = z.object({
  snapshot: integerParameter(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'Number of the snapshot that is meant; when another change waits, 409. Absent: whichever waits',
    ),
});
const takenBack = z.strictObject({ snapshot: z.int() }).meta({ id: 'TakenBack' });
const snapshotRecord = z
  .strictObject({ ...snapshotHead.shape, document: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Snapshot' });
const snapshotList = z.strictObject({ snapshots: z.array(snapshotHead) }).meta({ id: 'SnapshotList' });

export type ChangePlan = Shape<typeof changePlan>;
export type PendingConfirmation = Shape<typeof pendingChange>;
export type SnapshotHead = Shape<typeof snapshotHead>;
export type Snapshot = Shape<typeof snapshotRecord>;

/** An endpoint that changes the configuration, or shows what a change would do. */
export type ChangeEndpoint = Endpoint<string, typeof changeQuery, z.ZodType, typeof changePlan>;

// What every change has in common.
const change = {
  access: PERMISSION,
  condition: 'NEEDED',
  query: changeQuery,
  response: { status: 200, schema: changePlan },
} as const;
const part = { access: PERMISSION, isStatus: true, response: { status: 200, schema: z.unknown() } } as const;

/** Shows the whole configuration. */
export const readConfiguration = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1',
  summary: 'Shows the configuration as it is set',
});

/** Replaces the whole configuration. */
export const replaceConfiguration = endpoint({
  ...change,
  method: 'PUT',
  path: '/services/configuration/v1',
  summary: 'Replaces the configuration',
  request: anyDocument,
});

/** Describes the configuration. */
export const readConfigurationSchema = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1/schema',
  summary: 'Describes the configuration as JSON Schema',
});

/** Keeps a change that waits. */
export const confirmChange = endpoint({
  method: 'POST',
  path: '/services/configuration/v1/_confirm',
  summary: 'Keeps the change that waits for confirmation',
  access: PERMISSION,
  audit: 'CONFIGURATION_CHANGED',
  query: meantQuery,
  refusals: [409],
  response: { status: 204 },
});

/** Shows a change that waits. */
export const readPendingChange = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/_confirm',
  summary: 'Shows the change that waits for confirmation',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: pendingChange },
});

/** Takes a change that waits back. */
export const takeChangeBack = endpoint({
  method: 'POST',
  path: '/services/configuration/v1/_takeBack',
  summary: 'Takes the change that waits for confirmation back at once',
  access: PERMISSION,
  audit: 'CONFIGURATION_CHANGED',
  query: meantQuery,
  refusals: [409],
  response: { status: 200, schema: takenBack },
});

/** Lists snapshots. */
export const listSnapshots = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/snapshots',
  summary: 'Lists the snapshots, the newest first',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: snapshotList },
});

/** Shows a snapshot. */
export const readSnapshot = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/snapshots/:id',
  summary: 'Shows a snapshot',
  access: PERMISSION,
  response: { status: 200, schema: snapshotRecord },
});

/** Applies a snapshot again. */
export const rollBack = endpoint({
  ...change,
  method: 'POST',
  path: '/services/configuration/v1/snapshots/:id/_rollback',
  summary: 'Applies a snapshot again',
});

/** Shows a section. */
export const readSection = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1/:section',
  summary: 'Shows a section as it is set',
});

/** Replaces a section. */
export const replaceSection = endpoint({
  ...change,
  method: 'PUT',
  path: '/services/configuration/v1/:section',
  summary: 'Replaces a section',
  request: anyDocument,
});

/** Resets a section. */
export const resetSection = endpoint({
  ...change,
  method: 'DELETE',
  path: '/services/configuration/v1/:section',
  summary: 'Resets a section to its defaults',
});

/** Shows an item. */
export const readItem = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1/:section/:pid',
  summary: 'Shows an item of a section',
});

/** Replaces an item. */
export const replaceItem = endpoint({
  ...change,
  method: 'PUT',
  path: '/services/configuration/v1/:section/:pid',
  summary: 'Creates or replaces an item of a section',
  request: anyDocument,
});

/** Removes an item. */
export const removeItem = endpoint({
  ...change,
  method: 'DELETE',
  path: '/services/configuration/v1/:section/:pid',
  summary: 'Removes an item of a section',
});
