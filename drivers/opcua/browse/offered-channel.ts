import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import type { OfferedChannel } from '../../../daemon/channel/browsing-driver.ts';
import type { ValueType } from '../../../daemon/channel/value-type.ts';
import { OPCUA_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { BuiltInType } from '../value/data-type.ts';

/** Kind of a node value: a built-in type, a structure, elements with types of their own, or open until a value is available. */
export type ValueKind = BuiltInType | 'STRUCTURE' | 'VARIANTS' | 'OPEN';

/** A data type of a server. */
export interface ServerDataType {
  /** Name as reported by the server. */
  readonly name: string;
  /** Undefined: not supported by channels. */
  readonly kind: ValueKind | undefined;
}

/** Type and access of a node value. */
export interface OfferedValue {
  /** Undefined: not supported by channels. */
  readonly kind: ValueKind | undefined;
  /** ValueRank of the node (OPC 10000-3, 5.6.2), or of its value if the node leaves it open. */
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
 * Chooses direction and value type of a channel for a node: the narrowest type that represents every value, or JSON
 * text for arrays and structures.
 *
 * @returns undefined if there is none; `explainRefusal` returns the reason
 */
export function chooseChannel(offered: OfferedValue): Pick<OfferedChannel, 'type' | 'valueType'> | undefined {
  if (explainRefusal(offered) !== undefined) return undefined;
  const { kind, valueRank, isReadable, isWritable } = offered;
  if (kind === undefined || kind === 'OPEN') return undefined;
  const isArray = valueRank >= 0;
  const isText = isArray || kind === 'STRUCTURE' || kind === 'VARIANTS';
  const valueType = isText ? 'STRING' : VALUE_TYPES[kind];
  if (!isWritable || READ_ONLY.has(kind)) return { type: 'READ', valueType };
  return { type: isReadable ? 'READ_WRITE' : 'WRITE', valueType };
}

/** Returns the reason why no channel can represent the node value; undefined if one can. */
export function explainRefusal(offered: OfferedValue): FaultReason | undefined {
  const code = findRefusal(offered);
  return code === undefined ? undefined : createReason(OPCUA_SCAN_SENTENCES, code, {});
}

function findRefusal({ kind, isReadable, isWritable }: OfferedValue) {
  if (kind === undefined) return 'NODE_TYPE_UNSUPPORTED';
  if (!isReadable && !isWritable) return 'NODE_WITHOUT_ACCESS';
  if (kind === 'OPEN') return 'NODE_TYPE_ABSTRACT';
  return !isReadable && READ_ONLY.has(kind) ? 'NODE_WRITE_ONLY' : undefined;
}
