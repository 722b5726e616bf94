import { z } from '../../base/schema.ts';
import { changeQuery, replaceConfiguration } from './configuration.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const PERMISSION = 'rest.configuration';

/**
 * How a part of the configuration, or an identity, differs from the provision files as they were merged last.
 *
 * - `VANISHED`: it came from a file, no file names it any more, and it is still as the file had it
 * - `CHANGED`: a file names it, and something else is in force
 * - `REMOVED`: a file names it, and it is not in force
 * - `TAKEN_OVER`: it came from a file, no file names it any more, and it has changed since; this is no drift
 * - `UNKNOWN`: it is older than the record of origins; this is no drift
 */
export const DRIFT_STATES = ['VANISHED', 'CHANGED', 'REMOVED', 'TAKEN_OVER', 'UNKNOWN'] as const;

/** An asset of thousands of channels that was replaced has as many differences; so many of a part are listed. */
export const MAXIMUM_DIFFERENCES = 20;

const difference = z
  .strictObject({
    key: z.string(),
    file: z.unknown().optional().describe('As the file has it; absent: not at all'),
    inForce: z.unknown().optional().describe('As it is in force; absent: not at all'),
  })
  .meta({ id: 'DriftDifference' });

const driftedPart = z
  .strictObject({
    item: z.string().describe('As in plans of changes: drivers/line1, rest/allowedPorts, identities/scada'),
    state: z.enum(DRIFT_STATES),
    source: z.string().nullable().describe('The file that named it last; null: unknown'),
    differences: z.array(difference).describe(`The first ${MAXIMUM_DIFFERENCES}`),
    differenceCount: z.int(),
  })
  .meta({ id: 'DriftedPart' });

const driftList = z.strictObject({ drift: z.array(driftedPart) }).meta({ id: 'Drift' });

export type DriftedPart = Shape<typeof driftedPart>;
export type Drift = Shape<typeof driftList>;

/** Compares configuration and provision files. */
export const readDrift = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/drift',
  summary: 'Compares the configuration with the provision files',
  access: PERMISSION,
  isStatus: true,
  response: { status: 200, schema: driftList },
});

/** Removes what vanished from the provision files. */
export const prune = endpoint({
  method: 'POST',
  path: '/services/configuration/v1/_prune',
  summary: 'Removes what came from a provision file that no longer names it',
  access: PERMISSION,
  query: changeQuery,
  condition: 'NEEDED',
  refusals: [409],
  response: replaceConfiguration.response,
});
