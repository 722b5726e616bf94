import { createFault, createReason } from '../../daemon/base/fault-reason.ts';
import { BINARY_FAULTS } from './fault-sentences.ts';
import type { Fault } from '../../daemon/base/schema.ts';
import type { ElementKind } from '../../daemon/channel/array-text.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';

interface GroupRow {
  /** Value types allowed for a channel. */
  readonly valueTypes: readonly ValueType[];
  /** Kind of the array elements as JSON. */
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

/** Meaning of the bytes of a value; determines the value types of its channel. */
export type ValueGroup = keyof typeof GROUPS;

/** Returns the value types allowed for a channel; an array is text. */
export function listValueTypes(group: ValueGroup, isArray: boolean): readonly ValueType[] {
  return isArray ? ['STRING'] : GROUPS[group].valueTypes;
}

/** Returns the JSON kind of the elements of an array type; a 32-bit float has fewer digits. */
export function elementKindOf(dataType: string, group: ValueGroup): ElementKind {
  return dataType === 'FLOAT32' ? 'FLOAT32' : GROUPS[group].elements;
}

/** Returns the errors of an array channel: its elements cannot be scaled. */
export function checkArrayScaling({ valueScale, valueOffset }: Channel): readonly Fault[] {
  const scaled = createFault(['valueScale'], createReason(BINARY_FAULTS, 'ARRAY_WITH_SCALE', {}));
  const shifted = createFault(['valueOffset'], createReason(BINARY_FAULTS, 'ARRAY_WITH_OFFSET', {}));
  return [...(valueScale === 1 ? [] : [scaled]), ...(valueOffset === 0 ? [] : [shifted])];
}
