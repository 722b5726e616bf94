import { FormFault } from '../binary/binary-form.ts';
import type { BinaryForm } from '../binary/binary-form.ts';
import { DecodeFault, EncodeFault } from './codec.ts';
import type { Codec } from './codec.ts';
import type { Order } from './modbus-address.ts';
import { reorder } from './number-codec.ts';

/**
 * Prepares the conversion of a value whose bytes are ordered as those of a number. A form with an odd number of bytes has an
 * unused one before them: skipped on reads, 0 on writes.
 */
export function createFormCodec(form: BinaryForm, byteOrder: Order, wordOrder: Order): Codec {
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
