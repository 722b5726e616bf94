import { createReason, explain, quoteError } from '../../../base/fault-reason.ts';
import type { FaultReason } from '../../../base/fault-reason.ts';
import type { ChannelFailure, ChannelRecord, ConditionChannel } from '../../../channel/channel-record.ts';
import { formatValue, parseValue } from '../../../channel/value-json.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { OPERATORS, WriteCondition } from '../../../channel/write-terms.ts';
import { PLANT_FAULTS } from '../fault-sentences.ts';

/** True if two texts are equal in the type of the device; undefined: unknown, or not texts. */
export type TextComparison = (shown: ChannelValue, text: ChannelValue) => boolean | undefined;

/** Context of the evaluation of a condition. */
interface EvaluationContext {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly isSameText: TextComparison;
}

/** Two values of the same shape, neither of them NaN. */
type Comparison = (one: ChannelValue, other: ChannelValue, isSameText: TextComparison) => boolean;

const COMPARISONS: Readonly<Record<(typeof OPERATORS)[number], Comparison>> = {
  EQUALS: (one, other, isSameText) => isSameText(one, other) ?? isEqual(one, other),
  NOT_EQUALS: (one, other, isSameText) => !(isSameText(one, other) ?? isEqual(one, other)),
  LESS_THAN: (one, other) => one < other,
  LESS_THAN_OR_EQUAL: (one, other) => one <= other,
  GREATER_THAN: (one, other) => one > other,
  GREATER_THAN_OR_EQUAL: (one, other) => one >= other,
};

/**
 * Evaluates a condition of a write with the record of its channel.
 *
 * @param asset pid of the asset of the channel
 * @returns the reason not to send the value; undefined if the condition is true. An unknown value makes it false.
 */
export function findConditionFailure(
  { asset, condition }: { readonly asset: string; readonly condition: WriteCondition },
  record: ChannelRecord | undefined,
  context: EvaluationContext,
): ChannelFailure | undefined {
  const failure = evaluate({ asset, condition }, record, context);
  return failure && { ...failure, condition: { asset, channel: condition.channel } };
}

/** Returns the failure of a write whose condition was read too long before it was its turn. */
export function describeEarlyReading(condition: ConditionChannel, ms: number): ChannelFailure {
  const reason = createReason(PLANT_FAULTS, 'CONDITION_READ_EARLY', { ...condition, ms });
  return { ...unknown(reason), condition };
}

function evaluate(
  { asset, condition }: { readonly asset: string; readonly condition: WriteCondition },
  record: ChannelRecord | undefined,
  { nowMs, isSameText }: EvaluationContext,
): ChannelFailure | undefined {
  const name = { asset, channel: condition.channel };
  if (record === undefined) return unknown(createReason(PLANT_FAULTS, 'CONDITION_CHANNEL_UNKNOWN', name));
  if (record.failure !== undefined) {
    return unknown(createReason(PLANT_FAULTS, 'CONDITION_UNREADABLE', name), quoteError(record.failure));
  }
  const { channel, value, timestampMs } = record;
  const { operator, maximumAgeMs } = condition;
  // A time in the future proves the age as little as one long ago.
  const ageMs = Math.abs(nowMs - timestampMs);
  if (maximumAgeMs !== undefined && ageMs > maximumAgeMs) {
    const ages = { ageMs, maximumMs: maximumAgeMs };
    return unknown(createReason(PLANT_FAULTS, 'CONDITION_VALUE_OLD', { ...name, ...ages }));
  }
  const wanted = parseValue(channel.valueType, condition.value);
  if (wanted === undefined) return unknown(createReason(PLANT_FAULTS, 'CONDITION_TYPE_CHANGED', name));
  if (Number.isNaN(value)) return unknown(createReason(PLANT_FAULTS, 'CONDITION_VALUE_NAN', name));
  if (COMPARISONS[operator](value, wanted, isSameText)) return undefined;
  const found = formatValue(channel.valueType, value);
  const values = { value: found, operator, required: formatValue(channel.valueType, wanted) };
  return fail('WRITE_CONDITION_FALSE', createReason(PLANT_FAULTS, 'CONDITION_FALSE', { ...name, ...values }));
}

function unknown(...reasons: readonly FaultReason[]): ChannelFailure {
  return fail('WRITE_CONDITION_UNKNOWN', ...reasons);
}

function fail(code: ChannelFailure['code'], ...own: readonly FaultReason[]): ChannelFailure {
  const { detail: message, reasons } = explain(...own);
  return { code, message, reasons };
}

function isEqual(one: ChannelValue, other: ChannelValue): boolean {
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.from(one).equals(other);
  return one === other;
}
