import type { ValueType } from '../../../daemon/channel/value-type.ts';
import { FormFault, createBcdForm } from '../../binary/binary-form.ts';
import type { BinaryForm } from '../../binary/binary-form.ts';
import { createTimeForm } from '../../binary/time-form.ts';
import { createFieldDecode } from './bit-field.ts';
import { createBytesCodec, createTextCodec, createWideTextCodec } from './byte-codec.ts';
import { DecodeFault, EncodeFault, createArrayCodec, createArrayDecode } from './codec.ts';
import type { Codec, Decode } from './codec.ts';
import { elementKindOf } from '../../binary/value-group.ts';
import { countRegisters, groupOf } from './data-type.ts';
import { createMod10Form } from './mod10-form.ts';
import { countElementEntries, dataTypeOf, isBitTable } from '../modbus-address.ts';
import type { ModbusAddress, Order } from '../modbus-address.ts';
import {
  createDirectionForm,
  createIntegerForm,
  createMantissaForm,
  createSignMagnitudeForm,
} from './number-forms.ts';
import { createNumberCodec, reorder } from './number-codec.ts';

/**
 * Creates the codec for the registers of an address; not for BOOLEAN.
 *
 * Integers: fractions are rounded to the nearest, values out of range are refused, 64-bit values are bigint. INT8 and
 * UINT8 are the low byte of their register, or the high byte with `byteOrder` LITTLE_ENDIAN; the other byte is written
 * as 0. STRING is read up to the first NUL; BYTES always has its full length. An odd length leaves the last byte of the
 * last register unused: ignored on reads, 0 on writes. An array is a JSON array as text.
 *
 * @param valueType value type of the channel: a time is text if STRING or absent, otherwise milliseconds since the
 *   epoch
 */
export function createRegisterCodec(address: ModbusAddress, valueType?: ValueType): Codec {
  const { count } = address;
  const element = createElementCodec(address, valueType);
  if (count === undefined) return element;
  const dataType = dataTypeOf(address);
  const kind = elementKindOf(dataType, groupOf(dataType));
  return createArrayCodec(element, { kind, count }, 2 * countElementEntries(address));
}

function createElementCodec(address: ModbusAddress, valueType: ValueType | undefined): Codec {
  const dataType = dataTypeOf(address);
  const { byteOrder, wordOrder, length = 1, encoding = 'utf-8', padding = 'NUL', timeZone } = address;
  const inOrder = (form: BinaryForm): Codec => createFormCodec(form, byteOrder, wordOrder);
  const registers = countRegisters(dataType, length);
  switch (dataType) {
    case 'BOOLEAN':
      throw new TypeError('a bit is written by mask, not by register');
    case 'STRING': {
      const { trim = padding === 'SPACE' } = address;
      return createTextCodec({ lengthBytes: length, byteOrder, encoding, padding, trim });
    }
    case 'STRING_REGISTERS': {
      const { trim = padding === 'SPACE' } = address;
      return createWideTextCodec({ lengthBytes: length, byteOrder, encoding, padding, trim });
    }
    case 'BYTES':
      return createBytesCodec(length, byteOrder);
    case 'BCD16':
    case 'BCD32':
    case 'BCD64':
      return inOrder(createBcdForm(2 * registers));
    case 'INT32_MOD10':
    case 'INT48_MOD10':
    case 'INT64_MOD10':
      return inOrder(createMod10Form(registers, true));
    case 'UINT32_MOD10':
    case 'UINT48_MOD10':
    case 'UINT64_MOD10':
      return inOrder(createMod10Form(registers, false));
    case 'INT24':
    case 'UINT24':
      return inOrder(createIntegerForm(3, dataType === 'INT24'));
    case 'INT48':
    case 'UINT48':
      return inOrder(createIntegerForm(6, dataType === 'INT48'));
    case 'INT16_SIGN_MAGNITUDE':
      return inOrder(createSignMagnitudeForm(2));
    case 'INT32_SIGN_MAGNITUDE':
      return inOrder(createSignMagnitudeForm(4));
    case 'UINT16_DIRECTION':
      return inOrder(createDirectionForm(2));
    case 'UINT32_DIRECTION':
      return inOrder(createDirectionForm(4));
    case 'MANTISSA24_EXPONENT8':
    case 'EXPONENT8_MANTISSA24':
      return inOrder(createMantissaForm(dataType === 'EXPONENT8_MANTISSA24'));
    case 'INT8':
    case 'UINT8':
    case 'INT16':
    case 'UINT16':
    case 'INT32':
    case 'UINT32':
    case 'INT64':
    case 'UINT64':
    case 'FLOAT32':
    case 'FLOAT64':
      return createNumberCodec(dataType, byteOrder, wordOrder);
    default:
      return inOrder(createTimeForm(dataType, valueType === undefined || valueType === 'STRING', timeZone));
  }
}

/**
 * Creates the decoder of an address for a response, at a position in bytes, or in bits for a bit table.
 *
 * @param valueType value type of the channel, as for {@link createRegisterCodec}
 */
export function createDecode(address: ModbusAddress, valueType?: ValueType): Decode {
  const { table, count, byteOrder, bit = 0 } = address;
  if (isBitTable(table)) {
    return count === undefined ? decodeBit : createArrayDecode(decodeBit, { kind: 'BOOLEAN', count }, 1);
  }
  if (address.bits !== undefined) return createFieldDecode(address, address.bits);
  if (dataTypeOf(address) !== 'BOOLEAN') return createRegisterCodec(address, valueType).decode;
  // Positions in bits, so that arrays continue in the next register.
  const decodeAt: Decode = (bytes, position) => {
    const mask = maskOf({ bit: position & 15, byteOrder });
    return (bytes.readUInt16BE((position >> 4) * 2) & mask) !== 0;
  };
  const decode = count === undefined ? decodeAt : createArrayDecode(decodeAt, { kind: 'BOOLEAN', count }, 1);
  return (bytes, at) => decode(bytes, at * 8 + bit);
}

/** Decodes one bit of a bit table; the first is the lowest bit of the first byte. */
export function decodeBit(bytes: Buffer, at: number): boolean {
  return (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
}

/** Returns the register value with only the bit of the address set, as sent. */
export function maskOf({ bit = 0, byteOrder }: Pick<ModbusAddress, 'bit' | 'byteOrder'>): number {
  // Bit 0 is the least significant after reordering the bytes.
  return 1 << (byteOrder === 'LITTLE_ENDIAN' ? bit ^ 8 : bit);
}

/**
 * Creates the codec of a value with ordered bytes. A format with an odd number of bytes has an unused leading byte:
 * ignored on reads, 0 on writes.
 */
function createFormCodec(form: BinaryForm, byteOrder: Order, wordOrder: Order): Codec {
  const unused = form.lengthBytes % 2;
  const registerBytes = form.lengthBytes + unused;
  const swapsBytes = byteOrder === 'LITTLE_ENDIAN';
  const swapsWords = wordOrder === 'LITTLE_ENDIAN' && registerBytes > 2;
  return {
    decode(bytes, at) {
      const registers = Buffer.from(bytes.subarray(at, at + registerBytes));
      const value = form.decode(reorder(registers, swapsBytes, swapsWords).subarray(unused));
      return value instanceof FormFault ? new DecodeFault('VALUE_NOT_DECODABLE', value.message) : value;
    },
    encode(value) {
      const encoded = form.encode(value);
      if (!(encoded instanceof FormFault)) {
        return reorder(Buffer.concat([Buffer.alloc(unused), encoded]), swapsBytes, swapsWords);
      }
      const { code, message } = encoded;
      return new EncodeFault(code === 'VALUE_TYPE_MISMATCH' ? code : 'VALUE_OUT_OF_RANGE', message);
    },
  };
}
