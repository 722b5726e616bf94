import { isWritable } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { NUMERIC_VALUE_TYPES } from '../../daemon/channel/value-type.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { countEntries, dataTypeOf, isWritableTable } from './modbus-address.ts';
import type { DataType, ModbusAddress } from './modbus-address.ts';
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
 * BOOLEAN; STRING goes with STRING, and BYTES with BYTE_ARRAY.
 *
 * @returns the errors; empty when the driver can serve the channel
 */
export function checkChannel(channel: Channel<ModbusAddress>): readonly ChannelFault[] {
  const { address, valueType } = channel;
  const faults: ChannelFault[] = [];
  const dataType = dataTypeOf(address);
  const possible = valueTypesOf(dataType);
  if (!possible.includes(valueType)) {
    const message = `${dataType} cannot be ${valueType}; expected ${possible.join(', ')}`;
    faults.push({ path: ['valueType'], message });
  }
  if (!isWritable(channel)) return faults;
  if (!isWritableTable(address.table)) {
    const message = `${address.table} cannot be written; expected COILS or HOLDING_REGISTERS, or type READ`;
    faults.push({ path: ['address', 'table'], message });
  }
  if (countEntries(address) > FUNCTIONS[16].maximumQuantity) {
    const message = `one request writes at most ${2 * FUNCTIONS[16].maximumQuantity} bytes`;
    faults.push({ path: ['address', 'length'], message });
  }
  return faults;
}

function valueTypesOf(dataType: DataType): readonly ValueType[] {
  if (dataType === 'STRING') return ['STRING'];
  if (dataType === 'BYTES') return ['BYTE_ARRAY'];
  if (dataType === 'FLOAT32' || dataType === 'FLOAT64') return NUMERIC_VALUE_TYPES;
  return ['BOOLEAN', ...NUMERIC_VALUE_TYPES];
}
