import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { readArray } from './array-codec.ts';
import { EncodeFault, toState } from './codec.ts';
import type { EncodedValue } from './encoded-value.ts';
import { dataTypeOf } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { createRegisterCodec, maskOf } from './register-codec.ts';

/** Encodes a value for its address, or returns the reason why it cannot. */
export function encodeWrite(address: ModbusAddress, value: ChannelValue): EncodedValue | EncodeFault {
  const { unitId, offset, table, count } = address;
  if (table === 'COILS' && count !== undefined) {
    const elements = readArray(value, { kind: 'BOOLEAN', count });
    if (elements instanceof EncodeFault) return elements;
    return { kind: 'COILS', unitId, offset, states: elements.map((state) => state === true) };
  }
  if (dataTypeOf(address) === 'BOOLEAN') {
    const state = toState(value);
    if (state instanceof EncodeFault) return state;
    if (table === 'COILS') return { kind: 'COIL', unitId, offset, state };
    return { kind: 'BIT', unitId, offset, mask: maskOf(address), state };
  }
  const registers = createRegisterCodec(address).encode(value);
  return registers instanceof EncodeFault ? registers : { kind: 'REGISTERS', unitId, offset, registers };
}
