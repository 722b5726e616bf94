import { createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import { OPCUA_FAULTS } from './fault-sentences.ts';
import { z } from '../../daemon/base/schema.ts';
import { parseIndexRange } from './value/index-range.ts';
import { parseNodeId } from './value/node-id.ts';

/** A step into a value: a field name, or an element index. */
export type FieldStep = string | number;

const LONGEST = 1024;
const MAXIMUM_STEPS = 32;
const STEP = /(?:^|\.)([^.[\]]+)|\[(\d{1,9})\]/y;

/** Readable node attributes with their numbers (OPC 10000-6, A.1). */
export const ATTRIBUTES = {
  NodeId: 1,
  NodeClass: 2,
  BrowseName: 3,
  DisplayName: 4,
  Description: 5,
  WriteMask: 6,
  UserWriteMask: 7,
  IsAbstract: 8,
  Symmetric: 9,
  InverseName: 10,
  ContainsNoLoops: 11,
  EventNotifier: 12,
  Value: 13,
  DataType: 14,
  ValueRank: 15,
  AccessLevel: 17,
  UserAccessLevel: 18,
  MinimumSamplingInterval: 19,
  Historizing: 20,
  Executable: 21,
  UserExecutable: 22,
} as const;
export type Attribute = keyof typeof ATTRIBUTES;

/** Writable built-in types with their numbers (OPC 10000-6, 5.1.2). */
export const DATA_TYPES = {
  Boolean: 1,
  SByte: 2,
  Byte: 3,
  Int16: 4,
  UInt16: 5,
  Int32: 6,
  UInt32: 7,
  Int64: 8,
  UInt64: 9,
  Float: 10,
  Double: 11,
  String: 12,
  DateTime: 13,
  Guid: 14,
  ByteString: 15,
  LocalizedText: 21,
} as const;
export type DataTypeName = keyof typeof DATA_TYPES;

const NODE_ID_EXPECTED = createReason(OPCUA_FAULTS, 'EXPECTED_NODE_ID', {});
const MAXIMUM_INTERVAL_MS = 3_600_000;

/** Schema of the address of a channel. */
export const addressSchema = z.strictObject({
  nodeId: z
    .string()
    .max(8192)
    .refine((text) => parseNodeId(text) !== undefined, sayReason(NODE_ID_EXPECTED))
    .describe('NodeId, with a namespace index or namespace URI'),
  method: z
    .string()
    .max(8192)
    .refine((text) => parseNodeId(text) !== undefined, sayReason(NODE_ID_EXPECTED))
    .optional()
    .describe('Method of the object; the written value is its input arguments'),
  attribute: z
    .enum(Object.keys(ATTRIBUTES) as [Attribute, ...Attribute[]])
    .default('Value')
    .describe('Attribute of the node'),
  indexRange: z
    .string()
    .refine(
      (text) => parseIndexRange(text) !== undefined,
      sayReason(createReason(OPCUA_FAULTS, 'EXPECTED_INDEX_RANGE', {})),
    )
    .optional()
    .describe(
      'Index of an array element from 0, or a range such as 0:4; one per dimension of a matrix, such as 1,2',
    ),
  field: z
    .string()
    .refine(
      (text) => parseFieldPath(text) !== undefined,
      sayReason(createReason(OPCUA_FAULTS, 'EXPECTED_FIELD_PATH', {})),
    )
    .optional()
    .describe('Path of a field of a structure, such as position.x or path[1].x'),
  wholeStructure: z
    .boolean()
    .optional()
    .describe('Allows writes of the field; each reads the structure and writes all of its fields'),
  dataType: z
    .enum(Object.keys(DATA_TYPES) as [DataTypeName, ...DataTypeName[]])
    .optional()
    .describe('Data type of writes; default: the type reported by the server'),
  samplingIntervalMs: z
    .number()
    .min(0)
    .max(MAXIMUM_INTERVAL_MS)
    .optional()
    .describe(
      'Interval at which the server samples the value, in milliseconds; default: as requested by listeners',
    ),
  queueSize: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe('Maximum changes that the server queues between two reports; the oldest are dropped'),
});

/** Location of a channel value in a server. */
export type OpcuaAddress = Readonly<z.infer<typeof addressSchema>>;

/**
 * Parses the path of a structure field, such as `position.x` or `path[1].y`.
 *
 * @returns undefined if the text is not a path
 */
export function parseFieldPath(text: string): readonly FieldStep[] | undefined {
  const steps: FieldStep[] = [];
  const scanner = new RegExp(STEP);
  if (text === '' || text.startsWith('.') || text.length > LONGEST) return undefined;
  for (let at = 0; at < text.length; at = scanner.lastIndex) {
    scanner.lastIndex = at;
    const [, name, index] = scanner.exec(text) ?? [];
    if (name === undefined && index === undefined) return undefined;
    steps.push(name ?? Number(index));
  }
  return steps.length <= MAXIMUM_STEPS ? steps : undefined;
}
