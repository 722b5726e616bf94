import { createReason } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import { CHANNEL_FAULTS } from './fault-sentences.ts';
import { z } from '../base/schema.ts';
import type { ReasonAt } from '../base/fault-reason.ts';
import { VALUE_TYPE_TABLE } from './value-type.ts';
import type { ValueType } from './value-type.ts';

/** Comparison operators of conditions, with the names of OPC UA (OPC 10000-4, 7.7.3). */
export const OPERATORS = [
  'EQUALS',
  'NOT_EQUALS',
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
] as const;

const MAXIMUM_CONDITIONS = 16;
const MAXIMUM_WITHIN_MS = 10_000;
const MAXIMUM_AGE_MS = 86_400_000;

/** The schema of one condition. */
export const conditionSchema = z.strictObject({
  asset: z
    .string()
    .optional()
    .describe('Pid of the asset of the condition; default: the asset of the channel'),
  channel: z.string().describe('Name of the channel that is compared'),
  operator: z.enum(OPERATORS).default('EQUALS').describe('Comparison of the channel value with "value"'),
  value: z.union([z.number(), z.boolean(), z.string()]).describe('Value to compare with'),
  maximumAgeMs: z
    .int()
    .min(1)
    .max(MAXIMUM_AGE_MS)
    .optional()
    .describe('Maximum age of the value at the time of the write, in milliseconds; default: unlimited'),
});

/** The schema of the read-back of a value. */
export const verifySchema = z.strictObject({
  tolerance: z
    .number()
    .min(0)
    .default(0)
    .describe('Maximum difference between the value read back and the value written'),
  withinMs: z
    .int()
    .min(0)
    .max(MAXIMUM_WITHIN_MS)
    .default(1000)
    .describe('Milliseconds within which the device must return the value; it is read at least once'),
});

/** The schema of the limits, conditions and verification of writes to a channel. */
export const writeTermsSchema = z
  .strictObject({
    minimum: z.number().optional().describe('Smallest value to send, in the unit of the channel'),
    maximum: z.number().optional().describe('Largest value to send, in the unit of the channel'),
    maximumStep: z
      .number()
      .gt(0)
      .optional()
      .describe('Maximum difference between the current value and the value to send'),
    maximumChangePerSecond: z
      .number()
      .gt(0)
      .optional()
      .describe('Maximum change per second since the last write of any client'),
    verify: verifySchema
      .optional()
      .describe('Reads the value back; without it, the confirmation of the device is accepted'),
    onlyIf: z
      .array(conditionSchema)
      .max(MAXIMUM_CONDITIONS)
      .optional()
      .describe('Conditions that must all be true when the value is sent'),
  })
  .describe('Limits and conditions of a write, and its verification');

/** Limits, conditions and verification of writes to a channel. */
export type WriteTerms = Readonly<z.infer<typeof writeTermsSchema>>;

/** A condition of a write. */
export type WriteCondition = Readonly<z.infer<typeof conditionSchema>>;

/** Read-back of a value. */
export type Verification = Readonly<z.infer<typeof verifySchema>>;

interface TermedChannel {
  readonly type: string;
  readonly valueType: ValueType;
  readonly write?: WriteTerms | undefined;
}

const LIMITS = ['minimum', 'maximum', 'maximumStep', 'maximumChangePerSecond'] as const;

/** Returns errors in the write terms that involve several fields; paths begin inside `write`. */
export function findWriteTermsFaults({ type, valueType, write }: TermedChannel): readonly ReasonAt[] {
  if (write === undefined) return [];
  if (type === 'READ') return [{ path: [], reason: createReason(CHANNEL_FAULTS, 'CHANNEL_READ_ONLY', {}) }];
  const faults: ReasonAt[] = [];
  const { minimum = -Infinity, maximum = Infinity, verify } = write;
  for (const name of LIMITS) {
    const limit = write[name];
    if (limit === undefined) continue;
    const reason = findLimitFault(valueType, limit);
    if (reason !== undefined) faults.push({ path: [name], reason });
  }
  if (minimum > maximum) {
    const reason = createReason(CHANNEL_FAULTS, 'MINIMUM_ABOVE_MAXIMUM', { minimum });
    faults.push({ path: ['minimum'], reason });
  }
  if (verify !== undefined && verify.tolerance > 0 && !hasLimits(valueType)) {
    const reason = createReason(CHANNEL_FAULTS, 'VALUE_TYPE_WITHOUT_ORDER', { valueType });
    faults.push({ path: ['verify', 'tolerance'], reason });
  }
  if (type === 'READ_WRITE') return faults;
  for (const name of ['maximumStep', 'maximumChangePerSecond', 'verify'] as const) {
    if (write[name] === undefined) continue;
    faults.push({ path: [name], reason: createReason(CHANNEL_FAULTS, 'READING_REQUIRED', {}) });
  }
  return faults;
}

function findLimitFault(valueType: ValueType, limit: number): FaultReason | undefined {
  if (!hasLimits(valueType)) return createReason(CHANNEL_FAULTS, 'LIMITS_UNSUITABLE', { valueType });
  const isInteger = VALUE_TYPE_TABLE[valueType].arithmetic === 'INTEGER';
  const isInexact = isInteger && Number.isInteger(limit) && !Number.isSafeInteger(limit);
  return isInexact ? createReason(CHANNEL_FAULTS, 'EXPECTED_EXACT', {}) : undefined;
}

// A STRING may be an array of numbers.
function hasLimits(valueType: ValueType): boolean {
  return valueType === 'STRING' || VALUE_TYPE_TABLE[valueType].arithmetic !== 'NONE';
}
