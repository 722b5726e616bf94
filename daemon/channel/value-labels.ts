import { HIDDEN_CHARACTER } from '../base/text/plain-text.ts';
import { z } from '../base/schema.ts';
import type { Fault } from '../base/schema.ts';
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
  .refine((text) => text.trim() === text && !HIDDEN_CHARACTER.test(text), {
    message: 'expected visible characters without spaces around them',
  });

/** Schema of the names of values. */
export const labelsSchema = z
  .record(z.string().max(20), labelSchema)
  .refine((labels) => Object.keys(labels).length <= MAXIMUM_LABELS, {
    message: `expected at most ${MAXIMUM_LABELS} labels`,
  })
  .describe('Names of values, shown with the values and accepted in writes');

interface LabelledChannel {
  readonly valueType: ValueType;
  readonly labels?: ValueLabels | undefined;
}

/** Returns errors in the labels of a channel; paths begin inside `labels`. */
export function findLabelFaults({ valueType, labels }: LabelledChannel): readonly Fault[] {
  if (labels === undefined) return [];
  if (!LABELLED.includes(valueType)) {
    return [{ path: [], message: `values of ${valueType} have no labels; expected ${LABELLED.join(', ')}` }];
  }
  const faults: Fault[] = [];
  const values = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const [key, label] of Object.entries(labels)) {
    const value = parseKey(valueType, key);
    if (value === undefined) {
      const expected = valueType === 'BOOLEAN' ? 'false, true, 0 or 1' : `an ${valueType} such as 3`;
      faults.push({ path: [key], message: `is not a value; expected ${expected}` });
      continue;
    }
    const sameValue = values.get(String(value));
    if (sameValue !== undefined) faults.push({ path: [key], message: `is the same value as "${sameValue}"` });
    values.set(String(value), key);
    const sameText = texts.get(toComparable(label));
    if (sameText !== undefined) {
      faults.push({
        path: [key],
        message: `"${label}" is ambiguous: it is the label of ${sameText} as well`,
      });
    }
    texts.set(toComparable(label), key);
    if (isValue(valueType, label)) {
      faults.push({ path: [key], message: `"${label}" is ambiguous: it is a value itself` });
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
