import { z } from '../../base/schema.ts';
import { finding } from '../finding.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Endpoint, Shape } from '../endpoint.ts';
import { integerParameter, switchParameter } from '../query-parameter.ts';

const PERMISSION = 'rest.configuration';
const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** Query parameters of a change, each at most once. */
export const changeQuery = z.object({
  dryRun: switchParameter().describe('true: shows the effect and changes nothing'),
  confirmWithin: integerParameter(1, 86_400)
    .optional()
    .describe(
      'Seconds after which the change is reverted unless it is confirmed, 1 to 86,400; absent: never',
    ),
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
    cutsOff: names.describe('Access that clients lose'),
    changedTemplates: names
      .optional()
      .describe('Device templates that have changed; this change updates their assets'),
    warnings: names.optional().describe('Valid settings that may be mistakes'),
    findings: z
      .array(finding)
      .optional()
      .describe('Codes and values of the sentences in cutsOff and warnings'),
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
      .describe('Identity that made the change; absent: a provision file or a revert'),
  })
  .meta({ id: 'SnapshotHead' });
const pendingChange = z
  .strictObject({
    pending: z
      .strictObject({
        snapshot: z.int(),
        revertTo: z.int().describe('Number of the snapshot to restore; 0: the empty document'),
        author: z.string().optional().describe('Identity that made the change'),
        secondsLeft: z.int().describe('Seconds until the change is reverted'),
        revertAt: z.int().describe('The same time, in milliseconds since the epoch'),
      })
      .meta({ id: 'PendingChange' })
      .optional()
      .describe('Absent: no change is pending'),
  })
  .meta({ id: 'PendingConfirmation' });
const snapshotQuery = z.object({
  snapshot: integerParameter(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'Expected snapshot number; if another change is pending, the response is 409. Absent: any pending change',
    ),
});
const takenBack = z.strictObject({ snapshot: z.int() }).meta({ id: 'TakenBack' });
const snapshotRecord = z
  .strictObject({ ...snapshotHead.shape, document: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Snapshot' });
const named = z.strictObject({ pid: z.string() }).meta({ id: 'NamedItem' });
const namedDriver = z.strictObject({ ...named.shape, type: z.string() }).meta({ id: 'NamedDriver' });
const namedAsset = z.strictObject({ ...named.shape, driver: z.string() }).meta({ id: 'NamedAsset' });
const outline = z
  .strictObject({
    drivers: z.array(namedDriver),
    assets: z.array(namedAsset),
    recorders: z.array(named),
    bundles: z.array(named),
    tokenIssuingServices: z.array(named),
    tokenVerificationServices: z.array(named),
  })
  .meta({ id: 'ConfigurationOutline' });
const snapshotList = z.strictObject({ snapshots: z.array(snapshotHead) }).meta({ id: 'SnapshotList' });

export type ChangePlan = Shape<typeof changePlan>;
export type PendingConfirmation = Shape<typeof pendingChange>;
export type SnapshotHead = Shape<typeof snapshotHead>;
export type Snapshot = Shape<typeof snapshotRecord>;

/** An endpoint that changes the configuration or previews a change. */
export type ChangeEndpoint = Endpoint<string, typeof changeQuery, z.ZodType, typeof changePlan>;

// Shared by all changes.
const change = {
  access: PERMISSION,
  condition: 'NEEDED',
  query: changeQuery,
  response: { status: 200, schema: changePlan },
} as const;
const part = {
  access: PERMISSION,
  isStatus: true,
  isTagged: true,
  isCompressible: true,
  response: { status: 200, schema: z.unknown() },
} as const;

/** Shows the whole configuration. */
export const readConfiguration = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1',
  summary: 'Returns the configuration without defaults',
});

/** Replaces the whole configuration. */
export const replaceConfiguration = endpoint({
  ...change,
  method: 'PUT',
  path: '/services/configuration/v1',
  summary: 'Replaces the configuration',
  request: anyDocument,
});

/** Shows the names of all items. */
export const readOutline = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1/outline',
  summary: 'Returns the items of all sections by their names, without their settings',
  response: { status: 200, schema: outline },
});

/** Returns the configuration schema. */
export const readConfigurationSchema = endpoint({
  ...part,
  method: 'GET',
  path: '/services/configuration/v1/schema',
  summary: 'Returns the JSON Schema of the configuration',
});

/** Confirms the pending change. */
export const confirmChange = endpoint({
  method: 'POST',
  path: '/services/configuration/v1/_confirm',
  summary: 'Confirms the pending change',
  access: PERMISSION,
  audit: 'CONFIGURATION_CHANGED',
  query: snapshotQuery,
  refusals: [409],
  response: { status: 204 },
});

/** Shows the pending change. */
export const readPendingChange = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/_confirm',
  summary: 'Shows the pending change',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: pendingChange },
});

/** Reverts the pending change. */
export const revertPendingChange = endpoint({
  method: 'POST',
  path: '/services/configuration/v1/_takeBack',
  summary: 'Reverts the pending change immediately',
  access: PERMISSION,
  audit: 'CONFIGURATION_CHANGED',
  query: snapshotQuery,
  refusals: [409],
  response: { status: 200, schema: takenBack },
});

/** Lists snapshots. */
export const listSnapshots = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/snapshots',
  summary: 'Lists the snapshots, newest first',
  access: PERMISSION,
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: snapshotList },
});

/** Shows a snapshot. */
export const readSnapshot = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/snapshots/:id',
  summary: 'Shows a snapshot',
  access: PERMISSION,
  isCompressible: true,
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
  summary: 'Returns a section without defaults',
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
  summary: 'Returns an item of a section',
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
