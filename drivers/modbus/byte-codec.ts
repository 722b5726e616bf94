import { decodeUtf8, isPlainText } from '../../daemon/base/plain-text.ts';
import { DecodeFault, EncodeFault } from './codec.ts';
import type { Codec } from './codec.ts';
import type { Order } from './modbus-address.ts';

/**
 * Prepares the conversion of text: UTF-8, filled up with NUL.
 *
 * @param lengthBytes longest text in bytes of UTF-8
 */
export function createTextCodec(lengthBytes: number, byteOrder: Order): Codec {
  const bytesCodec = createBytesCodec(lengthBytes, byteOrder);
  return {
    decode(bytes, at) {
      const ordered = takeOrdered(bytes, at, lengthBytes, byteOrder);
      const end = ordered.indexOf(0);
      return (
        decodeUtf8(ordered.subarray(0, end < 0 ? lengthBytes : end)) ??
        new DecodeFault('the registers hold no text in UTF-8')
      );
    },
    encode(value) {
      if (typeof value !== 'string')
        return new EncodeFault('VALUE_TYPE_MISMATCH', 'the device takes text here');
      if (!isPlainText(value)) {
        return new EncodeFault('VALUE_OUT_OF_RANGE', 'the text holds NUL or half of a surrogate pair');
      }
      const text = Buffer.from(value, 'utf8');
      if (text.length > lengthBytes) {
        const message = `the text has ${text.length} bytes; ${lengthBytes} is the most`;
        return new EncodeFault('VALUE_OUT_OF_RANGE', message);
      }
      return bytesCodec.encode(Buffer.concat([text], lengthBytes));
    },
  };
}

/** Prepares the conversion of plain bytes; a value has exactly `lengthBytes`. */
export function createBytesCodec(lengthBytes: number, byteOrder: Order): Codec {
  return {
    decode: (bytes, at) => takeOrdered(bytes, at, lengthBytes, byteOrder),
    encode(value) {
      if (typeof value !== 'object')
        return new EncodeFault('VALUE_TYPE_MISMATCH', 'the device takes bytes here');
      if (value.length !== lengthBytes) {
        const message = `${value.length} bytes were given; the device takes exactly ${lengthBytes}`;
        return new EncodeFault('VALUE_OUT_OF_RANGE', message);
      }
      const registers = Buffer.alloc(roundUp(lengthBytes));
      registers.set(value);
      return byteOrder === 'LITTLE_ENDIAN' ? registers.swap16() : registers;
    },
  };
}

// A copy, so that a value does not keep the whole answer in memory.
function takeOrdered(bytes: Buffer, at: number, lengthBytes: number, byteOrder: Order): Buffer {
  const registers = Buffer.from(bytes.subarray(at, at + roundUp(lengthBytes)));
  if (byteOrder === 'LITTLE_ENDIAN') registers.swap16();
  return registers.subarray(0, lengthBytes);
}

function roundUp(lengthBytes: number): number {
  return lengthBytes + (lengthBytes % 2);
}
