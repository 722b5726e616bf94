import { z } from '../../base/schema.ts';
import { changeQuery, replaceConfiguration } from '../configuration/configuration.ts';
import { endpoint } from '../endpoint.ts';

const PERMISSION = 'rest.configuration';
const MAXIMUM_BYTES = 16 * 1024 * 1024;
const sheetQuery = changeQuery.extend({
  driver: z.string().optional().describe('Creates the asset on this driver if it does not exist'),
});

/** Returns the channels of an asset as a CSV table. */
export const readTagSheet = endpoint({
  method: 'GET',
  isTagged: true,
  path: '/services/configuration/v1/assets/:pid/_tags',
  summary: 'Returns the channels of an asset as a CSV table',
  access: PERMISSION,
  isCompressible: true,
  response: { status: 200, contentType: 'text/csv', schema: z.string() },
});

/** Replaces the channels of an asset. */
export const replaceTagSheet = endpoint({
  method: 'PUT',
  path: '/services/configuration/v1/assets/:pid/_tags',
  summary: 'Replaces the channels of an asset with those of a CSV table, or creates an asset with them',
  access: PERMISSION,
  query: sheetQuery,
  condition: 'NEEDED',
  request: { contentType: 'text/csv', schema: z.string(), maximumBytes: MAXIMUM_BYTES },
  response: replaceConfiguration.response,
});
