import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';

const MAXIMUM_TEXT_LENGTH = 200;
const MAXIMUM_FOUND = 100;
const DEFAULT_FOUND = 30;

const foundEntry = z
  .strictObject({
    asset: z.string(),
    channel: z.string().optional().describe('Absent: the asset itself'),
    displayName: z.string().optional(),
    unit: z.string().optional(),
  })
  .meta({ id: 'FoundEntry' });

/** Finds assets and channels by their names. */
export const searchAssets = endpoint({
  method: 'GET',
  path: '/services/assets/_search',
  summary: 'Finds assets and channels whose pid, name or display name contains every word of a text',
  access: 'rest.assets.read',
  query: z.object({
    text: z
      .string()
      .min(1, 'expected a text')
      .max(MAXIMUM_TEXT_LENGTH)
      .describe('Words, separated by spaces or "/"; case does not matter'),
    limit: integerParameter(1, MAXIMUM_FOUND)
      .default(DEFAULT_FOUND)
      .describe(`Maximum number of results, 1 to ${MAXIMUM_FOUND}; default: ${DEFAULT_FOUND}`),
  }),
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.array(foundEntry) },
});

export type FoundEntry = Shape<typeof foundEntry>;
