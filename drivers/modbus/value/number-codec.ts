import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { EncodeFault } from './codec.ts';
import type { Codec } from './codec.ts';
import type { Order } from '../modbus-address.ts';

/** Names of the binary number types. */
export type NumberType =
  | 'INT8'
  | 'UINT8'
  | 'INT16'
  | 'UINT16'
  | 'INT32'
  | 'UINT32'
  | 'INT64'
  | 'UINT64'
  | 'FLOAT32'
  | 'FLOAT64';

/** Encoding of one type, most or least significant byte first. */
interface NumberForm {
  readonly registerBytes: 2 | 4 | 8;
  readonly readBig: (bytes: Buffer, at: number) => number | bigint;
  readonly readLittle: (bytes: Buffer, at: number) => number | bigint;
  /** Writes a value within range, most significant byte first. */
  readonly write: (bytes: Buffer, value: number | bigint) => void;
  /** Minimum and maximum of an integer type. */
  readonly range?: readonly [number | bigint, number | bigint];
}

const FORMS: Readonly<Record<NumberType, NumberForm>> = {
  INT8: {
    registerBytes: 2,
    readBig: (bytes, at) => bytes.readInt8(at + 1),
    readLittle: (bytes, at) => bytes.readInt8(at),
    write: (bytes, value) => bytes.writeInt8(Number(value), 1),
    range: [-(2 ** 7), 2 ** 7 - 1],
  },
  UINT8: {
    registerBytes: 2,
    readBig: (bytes, at) => bytes.readUInt8(at + 1),
    readLittle: (bytes, at) => bytes.readUInt8(at),
    write: (bytes, value) => bytes.writeUInt8(Number(value), 1),
    range: [0, 2 ** 8 - 1],
  },
  INT16: {
    registerBytes: 2,
    readBig: (bytes, at) => bytes.readInt16BE(at),
    readLittle: (bytes, at) => bytes.readInt16LE(at),
    write: (bytes, value) => bytes.writeInt16BE(Number(value)),
    range: [-(2 ** 15), 2 ** 15 - 1],
  },
  UINT16: {
    registerBytes: 2,
    readBig: (bytes, at) => bytes.readUInt16BE(at),
    readLittle: (bytes, at) => bytes.readUInt16LE(at),
    write: (bytes, value) => bytes.writeUInt16BE(Number(value)),
    range: [0, 2 ** 16 - 1],
  },
  INT32: {
    registerBytes: 4,
    readBig: (bytes, at) => bytes.readInt32BE(at),
    readLittle: (bytes, at) => bytes.readInt32LE(at),
    write: (bytes, value) => bytes.writeInt32BE(Number(value)),
    range: [-(2 ** 31), 2 ** 31 - 1],
  },
  UINT32: {
    registerBytes: 4,
    readBig: (bytes, at) => bytes.readUInt32BE(at),
    readLittle: (bytes, at) => bytes.readUInt32LE(at),
    write: (bytes, value) => bytes.writeUInt32BE(Number(value)),
    range: [0, 2 ** 32 - 1],
  },
  INT64: {
    registerBytes: 8,
    readBig: (bytes, at) => bytes.readBigInt64BE(at),
    readLittle: (bytes, at) => bytes.readBigInt64LE(at),
    write: (bytes, value) => bytes.writeBigInt64BE(BigInt(value)),
    range: [-(2n ** 63n), 2n ** 63n - 1n],
  },
  UINT64: {
    registerBytes: 8,
    readBig: (bytes, at) => bytes.readBigUInt64BE(at),
    readLittle: (bytes, at) => bytes.readBigUInt64LE(at),
    write: (bytes, value) => bytes.writeBigUInt64BE(BigInt(value)),
    range: [0n, 2n ** 64n - 1n],
  },
  FLOAT32: {
    registerBytes: 4,
    readBig: (bytes, at) => bytes.readFloatBE(at),
    readLittle: (bytes, at) => bytes.readFloatLE(at),
    write: (bytes, value) => bytes.writeFloatBE(Number(value)),
  },
  FLOAT64: {
    registerBytes: 8,
    readBig: (bytes, at) => bytes.readDoubleBE(at),
    readLittle: (bytes, at) => bytes.readDoubleLE(at),
    write: (bytes, value) => bytes.writeDoubleBE(Number(value)),
  },
};

/**
 * Creates the codec of a number.
 *
 * @param byteOrder LITTLE_ENDIAN swaps the two bytes of each register
 * @param wordOrder LITTLE_ENDIAN puts the least significant register first
 */
export function createNumberCodec(type: NumberType, byteOrder: Order, wordOrder: Order): Codec {
  const form = FORMS[type];
  const { registerBytes, readBig, readLittle } = form;
  const swapsBytes = byteOrder === 'LITTLE_ENDIAN';
  const swapsWords = wordOrder === 'LITTLE_ENDIAN' && registerBytes > 2;
  const encode = (value: ChannelValue): Buffer | EncodeFault => {
    const number = toEncodable(type, form, value);
    if (number instanceof EncodeFault) return number;
    const registers = Buffer.alloc(registerBytes);
    form.write(registers, number);
    return reorder(registers, swapsBytes, swapsWords);
  };
  if (!swapsBytes && !swapsWords) return { decode: readBig, encode };
  if (swapsBytes && (swapsWords || registerBytes === 2)) return { decode: readLittle, encode };
  const decode = (bytes: Buffer, at: number): number | bigint => {
    const registers = Buffer.from(bytes.subarray(at, at + registerBytes));
    return readBig(reorder(registers, swapsBytes, swapsWords), 0);
  };
  return { decode, encode };
}

/** Swaps registers, the bytes in each, or both, in place; its own inverse. */
export function reorder(registers: Buffer, swapsBytes: boolean, swapsWords: boolean): Buffer {
  // Reversing all bytes reverses both the words and the bytes within each; a second swap of the bytes undoes the
  // unwanted half.
  if (swapsWords) registers.reverse();
  return swapsBytes === swapsWords ? registers : registers.swap16();
}

function toEncodable(type: NumberType, form: NumberForm, value: ChannelValue): number | bigint | EncodeFault {
  if (typeof value === 'string' || typeof value === 'object') {
    return new EncodeFault('VALUE_TYPE_MISMATCH', 'expected a number');
  }
  const given = typeof value === 'boolean' ? Number(value) : value;
  return isInRange(type, form, given)
    ? toWhole(form, given)
    : new EncodeFault('VALUE_OUT_OF_RANGE', `${given} is out of range for ${type}`);
}

function isInRange(type: NumberType, { range }: NumberForm, given: number | bigint): boolean {
  if (range === undefined) {
    // Infinity and NaN are valid floats; a finite number that would become Infinity is not.
    const isFinite = typeof given === 'bigint' || Number.isFinite(given);
    const rounded = type === 'FLOAT32' ? Math.fround(Number(given)) : Number(given);
    return !isFinite || Number.isFinite(rounded);
  }
  const whole = toWhole({ range }, given);
  return whole >= range[0] && whole <= range[1];
}

// Rounds to the nearest integer for an integer type. NaN stays NaN, which is in no range.
function toWhole({ range }: Pick<NumberForm, 'range'>, given: number | bigint): number | bigint {
  return range === undefined || typeof given === 'bigint' ? given : Math.round(given);
}
