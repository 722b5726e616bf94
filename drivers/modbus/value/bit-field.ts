import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { ModbusAddress } from '../modbus-address.ts';
import { EncodeFault } from './codec.ts';
import type { Decode } from './codec.ts';
import { createNumberCodec } from './number-codec.ts';

/** Bits of one or two registers, as sent. */
export interface FieldBits {
  /** Offset of the first register that has bits of the field. */
  readonly offset: number;
  /** The bits of the field are 1. */
  readonly mask: Buffer;
  /** Their new values; all other bits are 0. */
  readonly bits: Buffer;
}

type Bits = NonNullable<ModbusAddress['bits']>;

/** True if the field has a sign: INT16 and INT32, in two's complement of its bits. */
export function isSignedField({ dataType }: Pick<ModbusAddress, 'dataType'>): boolean {
  return dataType === 'INT16' || dataType === 'INT32';
}

/** Creates the decoder of the bits of an address. */
export function createFieldDecode(address: ModbusAddress, bits: Bits): Decode {
  const { decode } = codecOf(address);
  const size = 2 ** bits.count;
  const isSigned = isSignedField(address);
  return (bytes, at) => {
    const field = Math.floor(Number(decode(bytes, at)) / 2 ** bits.from) % size;
    return isSigned && field >= size / 2 ? field - size : field;
  };
}

/** Encodes the bits of a number, in the registers that have any of them. */
export function encodeField(
  address: ModbusAddress,
  bits: Bits,
  value: ChannelValue,
): FieldBits | EncodeFault {
  if (typeof value === 'string' || typeof value === 'object') {
    return new EncodeFault('VALUE_TYPE_MISMATCH', 'expected a number');
  }
  const size = 2 ** bits.count;
  const smallest = isSignedField(address) ? -size / 2 : 0;
  const number = Math.round(Number(value));
  if (!(number >= smallest && number < smallest + size)) {
    const message = `${value} is out of range for ${bits.count} bits: ${smallest} to ${smallest + size - 1}`;
    return new EncodeFault('VALUE_OUT_OF_RANGE', message);
  }
  const { encode } = codecOf(address);
  const toRegisters = (pattern: number): Buffer => {
    const registers = encode(pattern * 2 ** bits.from);
    if (registers instanceof EncodeFault) throw new RangeError(registers.message);
    return registers;
  };
  const [mask, values] = [toRegisters(size - 1), toRegisters(number < 0 ? number + size : number)];
  const [start, end] = [
    mask.readUInt16BE() === 0 ? 2 : 0,
    mask.readUInt16BE(mask.length - 2) === 0 ? -2 : undefined,
  ];
  return {
    offset: address.offset + start / 2,
    mask: mask.subarray(start, end),
    bits: values.subarray(start, end),
  };
}

/** Decodes a field from the registers that have its bits. */
export function decodeFieldBits(
  address: ModbusAddress,
  bits: Bits,
  { offset }: { readonly offset: number },
  registers: Buffer,
): ChannelValue {
  const whole = Buffer.alloc(4);
  registers.copy(whole, 2 * (offset - address.offset));
  const value = createFieldDecode(address, bits)(whole, 0);
  if (typeof value !== 'number') throw new TypeError('a field is a number');
  return value;
}

function codecOf({ dataType, byteOrder, wordOrder }: ModbusAddress): ReturnType<typeof createNumberCodec> {
  const isLong = dataType === 'INT32' || dataType === 'UINT32';
  return createNumberCodec(isLong ? 'UINT32' : 'UINT16', byteOrder, wordOrder);
}
