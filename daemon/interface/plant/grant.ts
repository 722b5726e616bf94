import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { z } from '../../base/schema.ts';
import type { Shape } from '../endpoint.ts';

/** Operations that a grant can permit. */
export const GRANT_OPERATIONS = ['READ', 'WRITE'] as const;

/** Maximum grants of one identity: enough to list every channel of a plant, few enough to check quickly. */
export const MAXIMUM_GRANTS = 10_000;

const MAXIMUM_PATTERNS = 1000;
const MAXIMUM_REASON_LENGTH = 255;

// Asset and channel names never contain these characters, so such a pattern would match nothing.
const PATTERN = /^[^#/+,\s]{1,255}$/;

// Date.parse reads 30 February as 2 March, and a time without zone as local time.
const TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const pattern = z
  .string('expected a pattern such as line1-*')
  .refine(
    (text) => PATTERN.test(text) && !HIDDEN_CHARACTER.test(text),
    'expected a pattern such as line1-*, of 1 to 255 visible characters, without white space and without the characters # / + ,',
  );

const patterns = z
  .array(pattern, 'expected a list of patterns')
  .min(1, 'expected at least one pattern')
  .max(MAXIMUM_PATTERNS);

const operations = z
  .array(z.enum(GRANT_OPERATIONS), 'expected a list of READ and WRITE')
  .min(1, 'expected READ, WRITE or both')
  .refine((list) => new Set(list).size === list.length, 'expected each operation once');

/** One grant of an identity. */
export const grantSchema = z.strictObject({
  assets: patterns.describe('Asset pid patterns; * matches any run of characters'),
  channels: patterns.optional().describe('Channel name patterns; absent: every channel'),
  operations: operations.describe('Permitted operations'),
  until: z
    .string()
    .refine(isZonedTime, 'expected a time with zone, such as 2026-12-01T18:00:00Z')
    .optional()
    .describe('Expiry of the grant; absent: no expiry'),
  reason: z
    .string()
    .max(MAXIMUM_REASON_LENGTH)
    .refine((text) => !HIDDEN_CHARACTER.test(text), 'expected visible characters')
    .optional()
    .describe('Reason for the grant, for example a permit number'),
});

/** The grants of an identity, as clients see and send them. */
export const grantRecords = z
  .array(grantSchema.meta({ id: 'Grant' }))
  .max(MAXIMUM_GRANTS, `expected at most ${MAXIMUM_GRANTS} grants`);

export type Grant = Shape<typeof grantSchema>;

function isZonedTime(text: string): boolean {
  const [, day] = TIME.exec(text) ?? [];
  return day !== undefined && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
