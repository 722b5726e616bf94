import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { createReason, sayReason } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { INTERFACE_FAULTS } from '../fault-sentences.ts';
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
  .string(sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_PATTERN', {})))
  .refine(
    (text) => PATTERN.test(text) && !HIDDEN_CHARACTER.test(text),
    sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_PATTERN_CHARACTERS', {})),
  );

const patterns = z
  .array(pattern, sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_PATTERNS', {})))
  .min(1, sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_ONE_PATTERN', {})))
  .max(MAXIMUM_PATTERNS);

const operations = z
  .array(z.enum(GRANT_OPERATIONS), sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_OPERATIONS', {})))
  .min(1, sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_ONE_OPERATION', {})))
  .refine(
    (list) => new Set(list).size === list.length,
    sayReason(createReason(INTERFACE_FAULTS, 'OPERATION_REPEATED', {})),
  );

/** One grant of an identity. */
export const grantSchema = z.strictObject({
  assets: patterns.describe('Asset pid patterns; * matches any run of characters'),
  channels: patterns.optional().describe('Channel name patterns; absent: every channel'),
  operations: operations.describe('Permitted operations'),
  until: z
    .string()
    .refine(isZonedTime, sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_ZONED_TIME', {})))
    .optional()
    .describe('Expiry of the grant; absent: no expiry'),
  reason: z
    .string()
    .max(MAXIMUM_REASON_LENGTH)
    .refine(
      (text) => !HIDDEN_CHARACTER.test(text),
      sayReason(createReason(BASE_FAULTS, 'EXPECTED_VISIBLE', {})),
    )
    .optional()
    .describe('Reason for the grant, for example a permit number'),
});

/** The grants of an identity, as clients see and send them. */
export const grantRecords = z
  .array(grantSchema.meta({ id: 'Grant' }))
  .max(
    MAXIMUM_GRANTS,
    sayReason(createReason(INTERFACE_FAULTS, 'EXPECTED_AT_MOST_GRANTS', { bound: MAXIMUM_GRANTS })),
  );

export type Grant = Shape<typeof grantSchema>;

function isZonedTime(text: string): boolean {
  const [, day] = TIME.exec(text) ?? [];
  return day !== undefined && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
