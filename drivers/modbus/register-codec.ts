import { createBytesCodec, createTextCodec } from './byte-codec.ts';
import type { Codec, Decode } from './codec.ts';
import { dataTypeOf } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { createNumberCodec } from './number-codec.ts';

/**
 * Prepares the conversion between the registers of an address and its value; BOOLEAN excepted.
 *
 * Integers are written exactly: a fraction is rounded to the nearest, a value that does not fit is refused. INT64 and UINT64
 * are bigint. INT8 and UINT8 are the low byte of their register, or the high byte with `byteOrder` LITTLE_ENDIAN; the
 * other byte is written as 0. STRING is UTF-8, filled up with NUL and read up to the first NUL; BYTES has always its
 * whole length. An odd length leaves the last byte of the last register unused: not shown on reads, 0 on writes.
 */
export function createRegisterCodec(address: ModbusAddress): Codec {
  const dataType = dataTypeOf(address);
  const { byteOrder, wordOrder, length = 1 } = address;
  switch (dataType) {
    case 'BOOLEAN':
      throw new TypeError('a bit is written by mask, not by register');
    case 'STRING':
      return createTextCodec(length, byteOrder);
    case 'BYTES':
      return createBytesCodec(length, byteOrder);
    default:
      return createNumberCodec(dataType, byteOrder, wordOrder);
  }
}

/** Prepares reading the value of an address from registers; of BOOLEAN its bit. */
export function createRegisterDecode(address: ModbusAddress): Decode {
  if (dataTypeOf(address) !== 'BOOLEAN') return createRegisterCodec(address).decode;
  const mask = maskOf(address);
  return (bytes, at) => (bytes.readUInt16BE(at) & mask) !== 0;
}

/** Reads one bit from the answer of a bit table, where the first is the lowest of the first byte. */
export function decodeBit(bytes: Buffer, at: number): boolean {
  return (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
}

/** Returns the register value in which only the bit of the address is set, as it goes over the wire. */
export function maskOf({ bit = 0, byteOrder }: ModbusAddress): number {
  // Bit 0 is the least significant after the bytes were put in order.
  return 1 << (byteOrder === 'LITTLE_ENDIAN' ? bit ^ 8 : bit);
}
