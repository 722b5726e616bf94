import { isReadable, isWritable } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import type { RawNumberAt } from '../../daemon/channel/raw-number.ts';
import { namesOneElement, parseIndexRange } from './value/index-range.ts';
import type { DataTypeName, OpcuaAddress } from './opcua-address.ts';

/** An error in a channel and its path inside the channel. */
export interface ChannelFault {
  readonly path: readonly string[];
  readonly message: string;
}

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
export function checkChannel(channel: Channel<OpcuaAddress>): readonly ChannelFault[] {
  const { address, valueType } = channel;
  if (address.method !== undefined) return checkMethod(channel);
  const faults: ChannelFault[] = [];
  if (isWritable(channel) && address.attribute !== 'Value') {
    const message = `${address.attribute} can only be read; expected Value, or type READ`;
    faults.push({ path: ['address', 'attribute'], message });
  }
  if (isReadable(channel) && address.attribute !== 'Value' && address.indexRange !== undefined) {
    faults.push({ path: ['address', 'indexRange'], message: `${address.attribute} has no elements` });
  }
  if (address.field !== undefined) {
    // Writing one field means writing all of them, and the device may have changed the others in between.
    const message =
      'a write of one field replaces the whole structure; expected type READ, or wholeStructure true in the address';
    if (isWritable(channel) && address.wholeStructure !== true) faults.push({ path: ['type'], message });
    if (address.attribute !== 'Value') {
      faults.push({ path: ['address', 'field'], message: `${address.attribute} has no fields` });
    }
  }
  if (address.wholeStructure !== undefined && address.field === undefined) {
    faults.push({ path: ['address', 'wholeStructure'], message: 'applies to a field of a structure' });
  }
  const { dataType } = address;
  const range = address.indexRange === undefined ? undefined : parseIndexRange(address.indexRange);
  const isElement = range !== undefined && namesOneElement(range);
  if (range !== undefined && !isElement && !ARRAY_VALUE_TYPES.includes(valueType)) {
    const message = 'expected STRING for several elements, or BYTE_ARRAY for bytes';
    faults.push({ path: ['valueType'], message });
  }
  // The range is that of the node, the type that of the field.
  const possible =
    dataType === undefined || address.field !== undefined ? undefined : valueTypesOf(dataType, isElement);
  if (possible?.includes(valueType) === false) {
    const message = `expected ${possible.join(', ')} for data type ${dataType ?? ''}`;
    faults.push({ path: ['valueType'], message });
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

function checkMethod({ type, address }: Channel<OpcuaAddress>): readonly ChannelFault[] {
  const faults: ChannelFault[] = [];
  const message = 'a method has none';
  if (type !== 'WRITE')
    faults.push({ path: ['type'], message: 'a method can only be called; expected type WRITE' });
  if (address.attribute !== 'Value') faults.push({ path: ['address', 'attribute'], message });
  if (address.queueSize !== 1) faults.push({ path: ['address', 'queueSize'], message });
  for (const field of FIELDS_OF_VARIABLES) {
    if (address[field] !== undefined) faults.push({ path: ['address', field], message });
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
