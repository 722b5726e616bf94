import { DATA_TYPES } from '../opcua-address.ts';
import type { DataTypeName } from '../opcua-address.ts';

/** Read-only built-in types with their numbers (OPC 10000-6, 5.1.2); their values are names. */
const READ_ONLY_TYPES = {
  XmlElement: 16,
  NodeId: 17,
  ExpandedNodeId: 18,
  StatusCode: 19,
  QualifiedName: 20,
} as const;

/** Supported built-in types with their numbers. */
export const BUILT_IN_TYPES = { ...DATA_TYPES, ...READ_ONLY_TYPES } as const;
export type BuiltInType = keyof typeof BUILT_IN_TYPES;

const NAMES: ReadonlyMap<number, BuiltInType> = invert(BUILT_IN_TYPES);
const WRITABLE_NAMES: ReadonlyMap<number, DataTypeName> = invert(DATA_TYPES);

/** Returns the built-in type with a number; undefined for structures and abstract types. */
export function findBuiltInType(number: number): BuiltInType | undefined {
  return NAMES.get(number);
}

/** Returns the type for writing a value; undefined if the driver cannot write the type. */
export function findWritableType(number: number): DataTypeName | undefined {
  return WRITABLE_NAMES.get(number);
}

function invert<Name extends string>(numbers: Readonly<Record<Name, number>>): ReadonlyMap<number, Name> {
  return new Map(Object.entries<number>(numbers).map(([name, number]) => [number, name as Name]));
}
