import type { ElementKind } from '../../daemon/channel/array-text.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';

interface GroupRow {
  /** Value types that a channel may have. */
  readonly valueTypes: readonly ValueType[];
  /** What the elements of an array are in its text. */
  readonly elements: ElementKind;
}

const GROUPS = {
  BIT: { valueTypes: ['BOOLEAN', ...NUMERIC_VALUE_TYPES], elements: 'BOOLEAN' },
  INTEGER: { valueTypes: ['BOOLEAN', ...NUMERIC_VALUE_TYPES], elements: 'INTEGER' },
  DECIMAL: { valueTypes: ['BOOLEAN', ...NUMERIC_VALUE_TYPES], elements: 'INTEGER' },
  FLOAT: { valueTypes: NUMERIC_VALUE_TYPES, elements: 'FLOAT64' },
  TIME: { valueTypes: ['DOUBLE', 'LONG', 'STRING'], elements: 'STRING' },
  TEXT: { valueTypes: ['STRING'], elements: 'STRING' },
  BYTES: { valueTypes: ['BYTE_ARRAY'], elements: 'BYTES' },
} as const satisfies Readonly<Record<string, GroupRow>>;

/** What the bytes of a value stand for, which decides about the value types of its channel. */
export type ValueGroup = keyof typeof GROUPS;

/** Returns the value types that a channel may have; an array is a text. */
export function listValueTypes(group: ValueGroup, isArray: boolean): readonly ValueType[] {
  return isArray ? ['STRING'] : GROUPS[group].valueTypes;
}

/** Returns what the elements of an array of a type are in its text; a 32-bit float has fewer digits. */
export function elementKindOf(dataType: string, group: ValueGroup): ElementKind {
  return dataType === 'FLOAT32' ? 'FLOAT32' : GROUPS[group].elements;
}

/** Returns the errors of a channel that holds an array: its elements are not scaled. */
export function checkArrayScaling({
  valueScale,
  valueOffset,
}: Channel): readonly { readonly path: readonly string[]; readonly message: string }[] {
  const expected = 'the elements of an array are not scaled; expected';
  return [
    ...(valueScale === 1 ? [] : [{ path: ['valueScale'], message: `${expected} 1, or no valueScale` }]),
    ...(valueOffset === 0 ? [] : [{ path: ['valueOffset'], message: `${expected} 0, or no valueOffset` }]),
  ];
}
