import { formatArray } from '../../../daemon/channel/array-text.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { DecodeFault, EncodeFault, toState, readArray } from '../value/codec.ts';
import type { EncodedValue } from '../value/encoded-value.ts';
import { dataTypeOf } from '../modbus-address.ts';
import type { ModbusAddress } from '../modbus-address.ts';
import { decodeFieldBits, encodeField } from '../value/bit-field.ts';
import { createRegisterCodec, maskOf } from '../value/register-codec.ts';

/** Encodes a value for its address, or returns the reason for failing. */
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
  if (address.bits !== undefined) {
    const field = encodeField(address, address.bits, value);
    return field instanceof EncodeFault ? field : { kind: 'FIELD', unitId, ...field };
  }
  const registers = createRegisterCodec(address).encode(value);
  return registers instanceof EncodeFault ? registers : { kind: 'REGISTERS', unitId, offset, registers };
}

/**
 * Returns the value that a later read returns after an encoded value was written.
 *
 * @param given the original value, used if the encoding cannot be read
 */
export function decodeWrite(
  { address, valueType }: Channel<ModbusAddress>,
  encoded: EncodedValue,
  given: ChannelValue,
): ChannelValue {
  if (encoded.kind === 'COILS') return formatArray('BOOLEAN', encoded.states);
  if (encoded.kind === 'FIELD') return decodeField(address, encoded, encoded.bits);
  if (encoded.kind !== 'REGISTERS') return encoded.state;
  const decoded = createRegisterCodec(address, valueType).decode(encoded.registers, 0);
  return decoded instanceof DecodeFault ? given : decoded;
}

/** Returns the number in the bits of a write, from the registers that it concerns. */
export function decodeField(
  address: ModbusAddress,
  write: { readonly offset: number },
  registers: Buffer,
): ChannelValue {
  if (address.bits === undefined) throw new RangeError('the address has no bits');
  return decodeFieldBits(address, address.bits, write, registers);
}

/** True if a text encodes to the same registers as a text read from the channel. */
export function isSameText(channel: Channel<ModbusAddress>, shown: string, text: string): boolean {
  if (shown === text) return true;
  const encoded = encodeWrite(channel.address, text);
  return !(encoded instanceof EncodeFault) && decodeWrite(channel, encoded, text) === shown;
}

/**
 * Returns the channel value of a word confirmed by the unit; undefined if the value has more words or the word is
 * invalid.
 */
export function decodeWord(
  channel: Channel<ModbusAddress>,
  write: EncodedValue,
  word: number,
): ChannelValue | undefined {
  if (write.kind === 'COIL') return word !== 0;
  if (write.kind === 'BIT') return (word & write.mask) !== 0;
  const registers = Buffer.alloc(2);
  registers.writeUInt16BE(word);
  if (write.kind === 'FIELD') {
    return write.mask.length === 2 ? decodeField(channel.address, write, registers) : undefined;
  }
  if (write.kind === 'COILS' || write.registers.length !== 2) return undefined;
  const decoded = createRegisterCodec(channel.address, channel.valueType).decode(registers, 0);
  return decoded instanceof DecodeFault ? undefined : decoded;
}
