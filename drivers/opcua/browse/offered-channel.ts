import type { OfferedChannel } from '../../../daemon/channel/browsing-driver.ts';
import type { ValueType } from '../../../daemon/channel/value-type.ts';
import type { BuiltInType } from '../value/data-type.ts';

/** The kind of the values of a node: a built-in type, a structure, or open until a value is there. */
export type ValueKind = BuiltInType | 'STRUCTURE' | 'OPEN';

/** What a server tells of a data type. */
export interface ToldType {
  /** Its name, as the server gives it. */
  readonly name: string;
  /** Undefined: no channel can carry its values. */
  readonly kind: ValueKind | undefined;
}

/** What a server tells of the value of a node. */
export interface OfferedValue {
  /** Undefined: no channel can carry it. */
  readonly kind: ValueKind | undefined;
  /** ValueRank of the node (OPC 10000-3, 5.6.2), or of its value where the node leaves it open. */
  readonly valueRank: number;
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

const VALUE_TYPES: Readonly<Record<BuiltInType, ValueType>> = {
  Boolean: 'BOOLEAN',
  SByte: 'INTEGER',
  Byte: 'INTEGER',
  Int16: 'INTEGER',
  UInt16: 'INTEGER',
  Int32: 'INTEGER',
  UInt32: 'LONG',
  Int64: 'LONG',
  UInt64: 'LONG',
  Float: 'FLOAT',
  Double: 'DOUBLE',
  String: 'STRING',
  DateTime: 'STRING',
  Guid: 'STRING',
  ByteString: 'BYTE_ARRAY',
  XmlElement: 'STRING',
  NodeId: 'STRING',
  ExpandedNodeId: 'STRING',
  StatusCode: 'STRING',
  QualifiedName: 'STRING',
  LocalizedText: 'STRING',
};
// Their values are names, which the driver does not write.
const READ_ONLY: ReadonlySet<ValueKind> = new Set([
  'STRUCTURE',
  'XmlElement',
  'NodeId',
  'ExpandedNodeId',
  'StatusCode',
  'QualifiedName',
]);

/**
 * Chooses direction and value type of the channel that carries the value of a node: the narrowest that holds every value, or
 * JSON text for arrays and structures.
 *
 * @returns undefined when no channel can; `explainRefusal` tells why
 */
export function chooseChannel(offered: OfferedValue): Pick<OfferedChannel, 'type' | 'valueType'> | undefined {
  if (explainRefusal(offered) !== undefined) return undefined;
  const { kind, valueRank, isReadable, isWritable } = offered;
  if (kind === undefined || kind === 'OPEN') return undefined;
  const isArray = valueRank >= 0;
  const valueType = isArray || kind === 'STRUCTURE' ? 'STRING' : VALUE_TYPES[kind];
  if (!isWritable || READ_ONLY.has(kind)) return { type: 'READ', valueType };
  return { type: isReadable ? 'READ_WRITE' : 'WRITE', valueType };
}

/** Says why no channel can carry the value of a node; undefined when one can. */
export function explainRefusal({ kind, isReadable, isWritable }: OfferedValue): string | undefined {
  if (kind === undefined) return 'values of this type are not supported';
  if (!isReadable && !isWritable) return 'the user may neither read nor write it';
  if (kind === 'OPEN') return 'its abstract type cannot be determined without a value';
  if (!isReadable && READ_ONLY.has(kind)) return 'the user may only write it, but the type can only be read';
  return undefined;
}
