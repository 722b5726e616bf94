import { z } from '../../base/schema.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const PATH = '/services/session/v1/_settings';
const MAXIMUM_PINS = 12;
const MAXIMUM_NAME_LENGTH = 255;
// Twelve pins with names of full length in four bytes a character.
const MAXIMUM_BYTES = 32_768;

const name = z.string().min(1).max(MAXIMUM_NAME_LENGTH);
const pin = z.strictObject({ asset: name, channel: name }).meta({ id: 'PinnedChannel' });

/** Schema of the settings. */
export const personalSettings = z
  .strictObject({
    zone: z.enum(['LOCAL', 'UTC']).optional().describe('Time zone of times: that of the browser, or UTC'),
    language: z.enum(['en', 'de']).optional().describe('Language of the console'),
    density: z.enum(['COMFORTABLE', 'COMPACT']).optional().describe('Height of rows'),
    pins: z.array(pin).max(MAXIMUM_PINS).optional().describe('Channels on the overview, in order'),
  })
  .meta({ id: 'PersonalSettings' });

/** Returns the caller's own settings. */
export const readPersonalSettings = endpoint({
  method: 'GET',
  path: PATH,
  summary: 'Returns the settings of the identity for the console',
  access: 'ANY_IDENTITY',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: personalSettings },
});

/** Replaces the caller's own settings. */
export const replacePersonalSettings = endpoint({
  method: 'PUT',
  path: PATH,
  summary: 'Replaces the settings of the identity for the console',
  access: 'ANY_IDENTITY',
  refusals: [409],
  request: jsonBody(personalSettings, MAXIMUM_BYTES),
  response: { status: 204 },
});

/** Settings of an identity for the console; absent members: not chosen. */
export type PersonalSettings = Shape<typeof personalSettings>;
