import { isWritable } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { TIME_VALUE_TYPES } from '../binary/time-form.ts';
import { groupOf } from './data-type.ts';
import { countEntries, dataTypeOf, isBitTable, isWritableTable } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { FUNCTIONS } from './modbus-functions.ts';

/** One thing that is wrong with a channel, with the path inside it. */
export interface ChannelFault {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Checks the address of a channel against its value type and direction.
 *
 * BOOLEAN and numbers go with BOOLEAN, INTEGER, LONG, FLOAT and DOUBLE, except that a floating-point number is no
 * BOOLEAN; a time goes with STRING, LONG and DOUBLE, STRING with STRING, and BYTES with BYTE_ARRAY. An array goes with STRING
 * and is not scaled.
 *
 * @returns the errors; empty when the driver can serve the channel
 */
export function checkChannel(channel: Channel<ModbusAddress>): readonly ChannelFault[] {
  return [
    ...checkValueType(channel),
    ...checkScaling(channel),
    ...(isWritable(channel) ? checkWrites(channel.address) : []),
  ];
}

function checkValueType({ address, valueType }: Channel<ModbusAddress>): readonly ChannelFault[] {
  const possible = valueTypesOf(address);
  if (possible.includes(valueType)) return [];
  const what = `${address.count === undefined ? '' : 'an array of '}${dataTypeOf(address)}`;
  const message = `${what} cannot be ${valueType}; expected ${possible.join(', ')}`;
  return [{ path: ['valueType'], message }];
}

function checkScaling({ address, valueScale, valueOffset }: Channel<ModbusAddress>): readonly ChannelFault[] {
  if (address.count === undefined) return [];
  const expected = 'the elements of an array are not scaled; expected';
  return [
    ...(valueScale === 1 ? [] : [{ path: ['valueScale'], message: `${expected} 1, or no valueScale` }]),
    ...(valueOffset === 0 ? [] : [{ path: ['valueOffset'], message: `${expected} 0, or no valueOffset` }]),
  ];
}

function checkWrites(address: ModbusAddress): readonly ChannelFault[] {
  const { table, count } = address;
  if (!isWritableTable(table)) {
    const message = `${table} cannot be written; expected COILS or HOLDING_REGISTERS, or type READ`;
    return [{ path: ['address', 'table'], message }];
  }
  if (count !== undefined && !isBitTable(table) && dataTypeOf(address) === 'BOOLEAN') {
    const message = 'an array of bits in registers cannot be written; expected type READ';
    return [{ path: ['address', 'count'], message }];
  }
  const { maximumQuantity } = FUNCTIONS[isBitTable(table) ? 15 : 16];
  const entries = countEntries(address);
  if (entries <= maximumQuantity) return [];
  if (count === undefined) {
    return [
      { path: ['address', 'length'], message: `one request writes at most ${2 * maximumQuantity} bytes` },
    ];
  }
  const unit = isBitTable(table) ? 'coils' : 'registers';
  const message = `the array has ${entries} ${unit}; one request writes at most ${maximumQuantity}; expected type READ`;
  return [{ path: ['address', 'count'], message }];
}

function valueTypesOf(address: ModbusAddress): readonly ValueType[] {
  if (address.count !== undefined) return ['STRING'];
  switch (groupOf(dataTypeOf(address))) {
    case 'TEXT':
      return ['STRING'];
    case 'BYTES':
      return ['BYTE_ARRAY'];
    case 'TIME':
      return TIME_VALUE_TYPES;
    case 'FLOAT':
      return NUMERIC_VALUE_TYPES;
    default:
      return ['BOOLEAN', ...NUMERIC_VALUE_TYPES];
  }
}
