import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import { formatValue, parseValue } from '../../../channel/value-json.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { OPERATORS, WriteCondition } from '../../../channel/write-terms.ts';

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

function evaluate(
  { asset, condition }: { readonly asset: string; readonly condition: WriteCondition },
  record: ChannelRecord | undefined,
  { nowMs, isSameText }: EvaluationContext,
): ChannelFailure | undefined {
  const name = `${asset} ${condition.channel}`;
  if (record === undefined) return unknown(`unknown channel ${name}`);
  if (record.failure !== undefined) return unknown(`cannot read ${name}: ${record.failure.message}`);
  const { channel, value, timestampMs } = record;
  const { operator, maximumAgeMs } = condition;
  // A time in the future proves the age as little as one long ago.
  const ageMs = Math.abs(nowMs - timestampMs);
  if (maximumAgeMs !== undefined && ageMs > maximumAgeMs) {
    return unknown(`the value of ${name} is ${ageMs} ms old; maximum ${maximumAgeMs} ms`);
  }
  const wanted = parseValue(channel.valueType, condition.value);
  if (wanted === undefined) return unknown(`the type of ${name} no longer matches the condition`);
  if (Number.isNaN(value)) return unknown(`${name} is NaN`);
  if (COMPARISONS[operator](value, wanted, isSameText)) return undefined;
  const shown = formatValue(channel.valueType, value);
  const message = `${name} is ${shown}; required: ${operator} ${formatValue(channel.valueType, wanted)}`;
  return { code: 'WRITE_CONDITION_FALSE', message };
}

function unknown(message: string): ChannelFailure {
  return { code: 'WRITE_CONDITION_UNKNOWN', message };
}

function isEqual(one: ChannelValue, other: ChannelValue): boolean {
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.from(one).equals(other);
  return one === other;
}
