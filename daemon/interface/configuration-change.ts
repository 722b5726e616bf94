import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';
import type { Shape } from './endpoint.ts';
import { integerParameter } from './query-parameter.ts';

const MAXIMUM_SHEET_BYTES = 16 * 1024 * 1024;

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
export const changePlan = z
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

/** Gives the channels of an asset as a tag sheet. */
export const readTagSheet = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/assets/:pid/_tags',
  summary: 'Returns the channels of an asset as a table',
  access: 'rest.configuration',
  response: { status: 200, contentType: 'text/csv', schema: z.string() },
});

/** Replaces the channels of an asset with those of a tag sheet. */
export const putTagSheet = endpoint({
  method: 'PUT',
  path: '/services/configuration/v1/assets/:pid/_tags',
  summary: 'Replaces the channels of an asset with those of a table, or creates an asset with them',
  access: 'rest.configuration',
  query: changeQuery.extend({
    driver: z.string().optional().describe('Creates the asset, which this driver serves'),
  }),
  condition: 'NEEDED',
  request: { contentType: 'text/csv', schema: z.string(), maximumBytes: MAXIMUM_SHEET_BYTES },
  response: { status: 200, schema: changePlan },
});

export type ChangePlan = Shape<typeof changePlan>;
