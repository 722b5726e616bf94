import { createFault, createReason } from '../../daemon/base/fault-reason.ts';
import { MODBUS_FAULTS } from './fault-sentences.ts';
import { isWritable } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { toRawNumber } from '../../daemon/channel/raw-number.ts';
import type { RawNumberAt } from '../../daemon/channel/raw-number.ts';
import { checkArrayScaling, listValueTypes } from '../binary/value-group.ts';
import { isSignedField } from './value/bit-field.ts';
import { groupOf } from './value/data-type.ts';
import { countEntries, dataTypeOf, isBitTable, isWritableTable } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { FUNCTIONS } from './pdu/modbus-functions.ts';

/** An error in a channel and its path inside the channel. */
export interface ChannelFault {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Checks the address of a channel against its value type and direction.
 *
 * BOOLEAN and integers convert to BOOLEAN, INTEGER, LONG, FLOAT and DOUBLE; floating-point numbers to all of them
 * except BOOLEAN. Times convert to STRING, LONG and DOUBLE, STRING to STRING, and BYTES to BYTE_ARRAY. An array
 * converts to STRING and cannot be scaled.
 *
 * @returns the errors; empty if the driver can serve the channel
 */
export function checkChannel(channel: Channel<ModbusAddress>): readonly ChannelFault[] {
  return [
    ...checkValueType(channel),
    ...(channel.address.count === undefined ? [] : checkArrayScaling(channel)),
    ...(isWritable(channel) ? checkWrites(channel.address) : []),
  ];
}

/** Returns the raw number at an address; of an array, that of an element. */
export function rawNumberOf(address: ModbusAddress): RawNumberAt {
  const dataType = dataTypeOf(address);
  if (address.bits !== undefined) {
    return { kind: isSignedField(address) ? 'SIGNED' : 'UNSIGNED', bits: address.bits.count };
  }
  // Decimals of any size.
  if (dataType.includes('MANTISSA')) return undefined;
  return toRawNumber(dataType, groupOf(dataType) === 'INTEGER');
}

function checkValueType({ address, valueType }: Channel<ModbusAddress>): readonly ChannelFault[] {
  const isArray = address.count !== undefined;
  const possible = listValueTypes(groupOf(dataTypeOf(address)), isArray);
  if (possible.includes(valueType)) return [];
  const code = isArray ? 'VALUE_TYPE_OF_ARRAY_UNSUITABLE' : 'VALUE_TYPE_UNSUITABLE';
  const values = { type: dataTypeOf(address), valueType, valueTypes: possible };
  return [createFault(['valueType'], createReason(MODBUS_FAULTS, code, values))];
}

function checkWrites(address: ModbusAddress): readonly ChannelFault[] {
  const { table, count } = address;
  if (!isWritableTable(table)) {
    return [createFault(['address', 'table'], createReason(MODBUS_FAULTS, 'TABLE_NOT_WRITABLE', { table }))];
  }
  if (count !== undefined && !isBitTable(table) && dataTypeOf(address) === 'BOOLEAN') {
    const message = 'an array of bits in registers cannot be written; expected type READ';
    return [{ path: ['address', 'count'], message }];
  }
  const { maximumQuantity } = FUNCTIONS[isBitTable(table) ? 15 : 16];
  const entries = countEntries(address);
  if (entries <= maximumQuantity) return [];
  if (count === undefined) {
    const maximumBytes = (dataTypeOf(address) === 'STRING_REGISTERS' ? 1 : 2) * maximumQuantity;
    return [{ path: ['address', 'length'], message: `one request writes at most ${maximumBytes} bytes` }];
  }
  const unit = isBitTable(table) ? 'coils' : 'registers';
  const message = `the array has ${entries} ${unit}; one request writes at most ${maximumQuantity}; expected type READ`;
  return [{ path: ['address', 'count'], message }];
}
