import { z } from '../../base/schema.ts';
import { changeQuery, replaceConfiguration } from './configuration.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const PERMISSION = 'rest.configuration';

/**
 * Kinds of difference between a part of the configuration, or an identity, and the last merged provision files.
 *
 * - `VANISHED`: it came from a file, no file names it any more, and it is unchanged
 * - `CHANGED`: a file names it, and its active value differs
 * - `REMOVED`: a file names it, and it no longer exists
 * - `TAKEN_OVER`: it came from a file, no file names it any more, and it has changed since; not drift
 * - `UNKNOWN`: it is older than the record of origins; not drift
 */
export const DRIFT_STATES = ['VANISHED', 'CHANGED', 'REMOVED', 'TAKEN_OVER', 'UNKNOWN'] as const;

/** Listed differences of one part: a replaced asset can have one for each of its thousands of channels. */
export const MAXIMUM_DIFFERENCES = 20;

const difference = z
  .strictObject({
    key: z.string(),
    file: z.unknown().optional().describe('Value in the file; absent: not set'),
    inForce: z.unknown().optional().describe('Active value; absent: not set'),
  })
  .meta({ id: 'DriftDifference' });

const driftedPart = z
  .strictObject({
    item: z.string().describe('Name as in change plans: drivers/line1, rest/allowedPorts, identities/scada'),
    state: z.enum(DRIFT_STATES),
    source: z.string().nullable().describe('Last file that named it; null: unknown'),
    differences: z.array(difference).describe(`The first ${MAXIMUM_DIFFERENCES}`),
    differenceCount: z.int(),
  })
  .meta({ id: 'DriftedPart' });

const driftList = z.strictObject({ drift: z.array(driftedPart) }).meta({ id: 'Drift' });

export type DriftedPart = Shape<typeof driftedPart>;
export type Drift = Shape<typeof driftList>;

/** Compares the configuration with the provision files. */
export const readDrift = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/drift',
  summary: 'Compares the configuration with the provision files',
  access: PERMISSION,
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: driftList },
});

/** Removes parts that have vanished from the provision files. */
export const prune = endpoint({
  method: 'POST',
  path: '/services/configuration/v1/_prune',
  summary: 'Removes parts of the configuration that no provision file names any more',
  access: PERMISSION,
  query: changeQuery,
  condition: 'NEEDED',
  refusals: [409],
  response: replaceConfiguration.response,
});
