import { createFault, createReason } from '../../daemon/base/fault-reason.ts';
import { MODBUS_FAULTS } from './fault-sentences.ts';
import type { Fault } from '../../daemon/base/schema.ts';
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

/**
 * Checks the address of a channel against its value type and direction.
 *
 * BOOLEAN and integers convert to BOOLEAN, INTEGER, LONG, FLOAT and DOUBLE; floating-point numbers to all of them
 * except BOOLEAN. Times convert to STRING, LONG and DOUBLE, STRING to STRING, and BYTES to BYTE_ARRAY. An array
 * converts to STRING and cannot be scaled.
 *
 * @returns the errors; empty if the driver can serve the channel
 */
export function checkChannel(channel: Channel<ModbusAddress>): readonly Fault[] {
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

function checkValueType({ address, valueType }: Channel<ModbusAddress>): readonly Fault[] {
  const isArray = address.count !== undefined;
  const possible = listValueTypes(groupOf(dataTypeOf(address)), isArray);
  if (possible.includes(valueType)) return [];
  const code = isArray ? 'VALUE_TYPE_OF_ARRAY_UNSUITABLE' : 'VALUE_TYPE_UNSUITABLE';
  const values = { type: dataTypeOf(address), valueType, valueTypes: possible };
  return [createFault(['valueType'], createReason(MODBUS_FAULTS, code, values))];
}

function checkWrites(address: ModbusAddress): readonly Fault[] {
  const { table, count } = address;
  if (!isWritableTable(table)) {
    return [createFault(['address', 'table'], createReason(MODBUS_FAULTS, 'TABLE_NOT_WRITABLE', { table }))];
  }
  if (count !== undefined && !isBitTable(table) && dataTypeOf(address) === 'BOOLEAN') {
    return [createFault(['address', 'count'], createReason(MODBUS_FAULTS, 'BITS_OF_ARRAY_NOT_WRITABLE', {}))];
  }
  const { maximumQuantity } = FUNCTIONS[isBitTable(table) ? 15 : 16];
  const entries = countEntries(address);
  if (entries <= maximumQuantity) return [];
  if (count === undefined) {
    const maximumBytes = (dataTypeOf(address) === 'STRING_REGISTERS' ? 1 : 2) * maximumQuantity;
    const tooLong = createReason(MODBUS_FAULTS, 'WRITE_TOO_LONG', { bound: maximumBytes });
    return [createFault(['address', 'length'], tooLong)];
  }
  const code = isBitTable(table) ? 'ARRAY_OF_COILS_TOO_LONG' : 'ARRAY_OF_REGISTERS_TOO_LONG';
  const values = { count: entries, bound: maximumQuantity };
  return [createFault(['address', 'count'], createReason(MODBUS_FAULTS, code, values))];
}
