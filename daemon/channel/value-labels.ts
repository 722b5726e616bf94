import { createReason, sayReason } from '../base/fault-reason.ts';
import { CHANNEL_FAULTS } from './fault-sentences.ts';
import { HIDDEN_CHARACTER } from '../base/text/plain-text.ts';
import { z } from '../base/schema.ts';
import type { ReasonAt } from '../base/fault-reason.ts';
import { VALUE_TYPE_TABLE } from './value-type.ts';
import type { ChannelValue, ValueType } from './value-type.ts';

const MAXIMUM_LABELS = 256;
const MAXIMUM_LENGTH = 64;
const LABELLED: readonly ValueType[] = ['BOOLEAN', 'INTEGER', 'LONG'];

/** Names of values: `{ "0": "Off", "1": "Heating" }`. */
export type ValueLabels = Readonly<Record<string, string>>;

const labelSchema = z
  .string()
  .min(1)
  .max(MAXIMUM_LENGTH)
  .refine(
    (text) => text.trim() === text && !HIDDEN_CHARACTER.test(text),
    sayReason(createReason(CHANNEL_FAULTS, 'EXPECTED_TRIMMED', {})),
  );

/** Schema of the names of values. */
export const labelsSchema = z
  .record(z.string().max(20), labelSchema)
  .refine(
    (labels) => Object.keys(labels).length <= MAXIMUM_LABELS,
    sayReason(createReason(CHANNEL_FAULTS, 'EXPECTED_AT_MOST_LABELS', { bound: MAXIMUM_LABELS })),
  )
  .describe('Names of values, shown with the values and accepted in writes');

interface LabelledChannel {
  readonly valueType: ValueType;
  readonly labels?: ValueLabels | undefined;
}

/** Returns errors in the labels of a channel; paths begin inside `labels`. */
export function findLabelFaults({ valueType, labels }: LabelledChannel): readonly ReasonAt[] {
  if (labels === undefined) return [];
  if (!LABELLED.includes(valueType)) {
    const values = { valueType, valueTypes: LABELLED };
    return [{ path: [], reason: createReason(CHANNEL_FAULTS, 'LABELS_UNSUITABLE', values) }];
  }
  const faults: ReasonAt[] = [];
  const values = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const [key, label] of Object.entries(labels)) {
    const value = parseKey(valueType, key);
    if (value === undefined) {
      const reason =
        valueType === 'BOOLEAN'
          ? createReason(CHANNEL_FAULTS, 'LABEL_OF_NO_BOOLEAN', {})
          : createReason(CHANNEL_FAULTS, 'LABEL_OF_NO_NUMBER', { valueType });
      faults.push({ path: [key], reason });
      continue;
    }
    const sameValue = values.get(String(value));
    if (sameValue !== undefined) {
      const reason = createReason(CHANNEL_FAULTS, 'LABEL_OF_SAME_VALUE', { key: sameValue });
      faults.push({ path: [key], reason });
    }
    values.set(String(value), key);
    const sameText = texts.get(toComparable(label));
    if (sameText !== undefined) {
      const reason = createReason(CHANNEL_FAULTS, 'LABEL_REPEATED', { label, key: sameText });
      faults.push({ path: [key], reason });
    }
    texts.set(toComparable(label), key);
    if (isValue(valueType, label)) {
      faults.push({ path: [key], reason: createReason(CHANNEL_FAULTS, 'LABEL_IS_VALUE', { label }) });
    }
  }
  return faults;
}

/** Returns the label of a value; undefined if it has none. */
export function labelOf(labels: ValueLabels | undefined, value: ChannelValue): string | undefined {
  if (labels === undefined) return undefined;
  const key = [String(value), typeof value === 'boolean' ? String(Number(value)) : ''].find((each) =>
    Object.hasOwn(labels, each),
  );
  return key === undefined ? undefined : labels[key];
}

/** Returns the value with a label, in any case of letters; undefined if there is none. */
export function findLabelledValue(
  { valueType, labels = {} }: LabelledChannel,
  text: string,
): ChannelValue | undefined {
  const sought = toComparable(text);
  const [key] = Object.entries(labels).find(([, label]) => toComparable(label) === sought) ?? [];
  return key === undefined ? undefined : parseKey(valueType, key);
}

function parseKey(valueType: ValueType, key: string): ChannelValue | undefined {
  if (valueType === 'BOOLEAN' && (key === '0' || key === '1')) return key === '1';
  const value = VALUE_TYPE_TABLE[valueType].parse(key);
  // One spelling for each value: 7, not 007 or +7.
  return value !== undefined && String(value) === key ? value : undefined;
}

function isValue(valueType: ValueType, label: string): boolean {
  return VALUE_TYPE_TABLE[valueType].parse(label) !== undefined;
}

function toComparable(label: string): string {
  return label.trim().normalize('NFC').toLowerCase();
}
