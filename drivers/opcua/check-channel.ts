import { createFault, createReason } from '../../daemon/base/fault-reason.ts';
import { OPCUA_FAULTS } from './fault-sentences.ts';
import type { Fault } from '../../daemon/base/schema.ts';
import { isReadable, isWritable } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import type { RawNumberAt } from '../../daemon/channel/raw-number.ts';
import { namesOneElement, parseIndexRange } from './value/index-range.ts';
import type { DataTypeName, OpcuaAddress } from './opcua-address.ts';

const ARRAY_VALUE_TYPES: readonly ValueType[] = ['STRING', 'BYTE_ARRAY'];
const NUMBER_TYPES: Readonly<Partial<Record<DataTypeName, RawNumberAt>>> = {
  SByte: { kind: 'SIGNED', bits: 8 },
  Byte: { kind: 'UNSIGNED', bits: 8 },
  Int16: { kind: 'SIGNED', bits: 16 },
  UInt16: { kind: 'UNSIGNED', bits: 16 },
  Int32: { kind: 'SIGNED', bits: 32 },
  UInt32: { kind: 'UNSIGNED', bits: 32 },
  Int64: { kind: 'SIGNED', bits: 64 },
  UInt64: { kind: 'UNSIGNED', bits: 64 },
  Float: { kind: 'FLOAT', bits: 32 },
  Double: { kind: 'FLOAT', bits: 64 },
};

/** Returns the raw number at an address; unknown without `dataType`, which the server reports later. */
export function rawNumberOf({ method, attribute, dataType }: OpcuaAddress): RawNumberAt {
  if (method !== undefined) return 'NONE';
  if (dataType === undefined || attribute !== 'Value') return undefined;
  return NUMBER_TYPES[dataType] ?? 'NONE';
}

/**
 * Checks the address of a channel against its value type and direction.
 *
 * @returns the errors; empty if the driver can serve the channel
 */
export function checkChannel(channel: Channel<OpcuaAddress>): readonly Fault[] {
  const { address, valueType } = channel;
  if (address.method !== undefined) return checkMethod(channel);
  const faults: Fault[] = [];
  if (isWritable(channel) && address.attribute !== 'Value') {
    const reason = createReason(OPCUA_FAULTS, 'ATTRIBUTE_NOT_WRITABLE', { attribute: address.attribute });
    faults.push(createFault(['address', 'attribute'], reason));
  }
  if (isReadable(channel) && address.attribute !== 'Value' && address.indexRange !== undefined) {
    const reason = createReason(OPCUA_FAULTS, 'ATTRIBUTE_WITHOUT_ELEMENTS', { attribute: address.attribute });
    faults.push(createFault(['address', 'indexRange'], reason));
  }
  if (address.field !== undefined) {
    // Writing one field means writing all of them, and the device may have changed the others in between.
    const replaces = createReason(OPCUA_FAULTS, 'FIELD_WRITE_REPLACES_STRUCTURE', {});
    if (isWritable(channel) && address.wholeStructure !== true) faults.push(createFault(['type'], replaces));
    if (address.attribute !== 'Value') {
      const reason = createReason(OPCUA_FAULTS, 'ATTRIBUTE_WITHOUT_FIELDS', { attribute: address.attribute });
      faults.push(createFault(['address', 'field'], reason));
    }
  }
  if (address.wholeStructure !== undefined && address.field === undefined) {
    const reason = createReason(OPCUA_FAULTS, 'ONLY_OF_FIELD', {});
    faults.push(createFault(['address', 'wholeStructure'], reason));
  }
  const { dataType } = address;
  const range = address.indexRange === undefined ? undefined : parseIndexRange(address.indexRange);
  const isElement = range !== undefined && namesOneElement(range);
  if (range !== undefined && !isElement && !ARRAY_VALUE_TYPES.includes(valueType)) {
    faults.push(createFault(['valueType'], createReason(OPCUA_FAULTS, 'VALUE_TYPE_OF_ELEMENTS', {})));
  }
  // The range is that of the node, the type that of the field.
  const possible =
    dataType === undefined || address.field !== undefined ? undefined : valueTypesOf(dataType, isElement);
  if (possible?.includes(valueType) === false) {
    const values = { valueTypes: possible, type: dataType ?? '' };
    faults.push(createFault(['valueType'], createReason(OPCUA_FAULTS, 'VALUE_TYPE_OF_DATA_TYPE', values)));
  }
  return faults;
}

// Address fields that apply to the value of a variable.
const FIELDS_OF_VARIABLES = [
  'indexRange',
  'field',
  'wholeStructure',
  'dataType',
  'samplingIntervalMs',
] as const;

function checkMethod({ type, address }: Channel<OpcuaAddress>): readonly Fault[] {
  const faults: Fault[] = [];
  const none = createReason(OPCUA_FAULTS, 'METHOD_WITHOUT', {});
  if (type !== 'WRITE')
    faults.push(createFault(['type'], createReason(OPCUA_FAULTS, 'METHOD_ONLY_CALLED', {})));
  if (address.attribute !== 'Value') faults.push(createFault(['address', 'attribute'], none));
  if (address.queueSize !== 1) faults.push(createFault(['address', 'queueSize'], none));
  for (const field of FIELDS_OF_VARIABLES) {
    if (address[field] !== undefined) faults.push(createFault(['address', field], none));
  }
  return faults;
}

// An array of any type is a JSON array as STRING.
function valueTypesOf(dataType: DataTypeName, isElement: boolean): readonly ValueType[] {
  const ofElement = valueTypesOfElement(dataType);
  if (isElement) return ofElement;
  const ofArray: readonly ValueType[] = dataType === 'Byte' ? ARRAY_VALUE_TYPES : ['STRING'];
  return [...new Set([...ofElement, ...ofArray])];
}

function valueTypesOfElement(dataType: DataTypeName): readonly ValueType[] {
  if (NUMBER_TYPES[dataType] !== undefined || dataType === 'Boolean')
    return ['BOOLEAN', ...NUMERIC_VALUE_TYPES];
  if (dataType === 'DateTime') return ['STRING', 'LONG', 'DOUBLE'];
  return dataType === 'ByteString' ? ['BYTE_ARRAY'] : ['STRING'];
}
