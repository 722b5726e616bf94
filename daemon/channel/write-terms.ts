import { z } from '../base/schema.ts';
import type { Fault } from '../base/schema.ts';
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
export function findWriteTermsFaults({ type, valueType, write }: TermedChannel): readonly Fault[] {
  if (write === undefined) return [];
  if (type === 'READ') return [{ path: [], message: 'the channel is read-only' }];
  const faults: Fault[] = [];
  const { minimum = -Infinity, maximum = Infinity, verify } = write;
  for (const name of LIMITS) {
    const limit = write[name];
    if (limit === undefined) continue;
    const message = findLimitFault(valueType, limit);
    if (message !== undefined) faults.push({ path: [name], message });
  }
  if (minimum > maximum) faults.push({ path: ['minimum'], message: `${minimum} is above the maximum` });
  if (verify !== undefined && verify.tolerance > 0 && !hasLimits(valueType)) {
    faults.push({ path: ['verify', 'tolerance'], message: `values of type ${valueType} have no order` });
  }
  if (type === 'READ_WRITE') return faults;
  for (const name of ['maximumStep', 'maximumChangePerSecond', 'verify'] as const) {
    if (write[name] === undefined) continue;
    faults.push({ path: [name], message: 'requires reading the value; expected type READ_WRITE' });
  }
  return faults;
}

function findLimitFault(valueType: ValueType, limit: number): string | undefined {
  if (!hasLimits(valueType)) return `values of ${valueType} have no limits`;
  const isInteger = VALUE_TYPE_TABLE[valueType].arithmetic === 'INTEGER';
  const isInexact = isInteger && Number.isInteger(limit) && !Number.isSafeInteger(limit);
  return isInexact ? 'the number is not exact; expected one within -2^53..2^53' : undefined;
}

// A STRING may be an array of numbers.
function hasLimits(valueType: ValueType): boolean {
  return valueType === 'STRING' || VALUE_TYPE_TABLE[valueType].arithmetic !== 'NONE';
}
