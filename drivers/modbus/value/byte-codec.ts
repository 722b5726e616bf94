import { isPlainText } from '../../../daemon/base/text/plain-text.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { decodeText, encodeText, TextFault, trimPadding } from '../../binary/text-encoding.ts';
import type { Encoding } from '../../binary/text-encoding.ts';
import { DecodeFault, EncodeFault } from './codec.ts';
import type { Codec } from './codec.ts';
import type { Order, Padding } from '../modbus-address.ts';

/** Encoding of a text in registers. */
export interface TextForm {
  /** Maximum length of the encoded text. */
  readonly lengthBytes: number;
  readonly byteOrder: Order;
  readonly encoding: Encoding;
  readonly padding: Padding;
  /** True if trailing spaces are removed on reads. */
  readonly trim: boolean;
}

/** Creates the codec of a text: reads up to the first NUL and pads on writes. */
export function createTextCodec(form: TextForm): Codec {
  const { lengthBytes, byteOrder, encoding, padding, trim } = form;
  const bytesCodec = createBytesCodec(lengthBytes, byteOrder);
  return {
    decode(bytes, at) {
      const ordered = takeOrdered(bytes, at, lengthBytes, byteOrder);
      const end = ordered.indexOf(0);
      const text = decodeText(ordered.subarray(0, end < 0 ? lengthBytes : end), encoding);
      if (text === undefined)
        return new DecodeFault('VALUE_NOT_TEXT', `the registers do not contain ${encoding} text`);
      return trim ? trimPadding(text) : text;
    },
    encode(value) {
      const text = toTextBytes(value, encoding);
      if (text instanceof EncodeFault) return text;
      if (text.length > lengthBytes) {
        const message = `the text has ${text.length} bytes; the maximum is ${lengthBytes}`;
        return new EncodeFault('VALUE_OUT_OF_RANGE', message);
      }
      const rest = Buffer.alloc(lengthBytes - text.length, padding === 'SPACE' ? ' ' : 0);
      return bytesCodec.encode(Buffer.concat([text, rest]));
    },
  };
}

/** Creates the codec of a text with one byte in each register: the low one, or the high one with swapped bytes; the other is 0. */
export function createWideTextCodec(form: TextForm): Codec {
  const { lengthBytes, byteOrder } = form;
  const text = createTextCodec({ ...form, byteOrder: 'BIG_ENDIAN' });
  const byteAt = byteOrder === 'BIG_ENDIAN' ? 1 : 0;
  return {
    decode(bytes, at) {
      const narrow = Buffer.alloc(roundUp(lengthBytes));
      for (let index = 0; index < lengthBytes; index += 1) {
        narrow[index] = bytes[at + 2 * index + byteAt] ?? 0;
      }
      return text.decode(narrow, 0);
    },
    encode(value) {
      const narrow = text.encode(value);
      if (narrow instanceof EncodeFault) return narrow;
      const registers = Buffer.alloc(2 * lengthBytes);
      for (let index = 0; index < lengthBytes; index += 1) {
        registers[2 * index + byteAt] = narrow[index] ?? 0;
      }
      return registers;
    },
  };
}

/** Creates the codec of bytes; a value has exactly `lengthBytes`. */
export function createBytesCodec(lengthBytes: number, byteOrder: Order): Codec {
  return {
    decode: (bytes, at) => takeOrdered(bytes, at, lengthBytes, byteOrder),
    encode(value) {
      if (typeof value !== 'object') return new EncodeFault('VALUE_TYPE_MISMATCH', 'expected bytes');
      if (value.length !== lengthBytes) {
        const message = `expected exactly ${lengthBytes} bytes, not ${value.length}`;
        return new EncodeFault('VALUE_OUT_OF_RANGE', message);
      }
      const registers = Buffer.alloc(roundUp(lengthBytes));
      registers.set(value);
      return byteOrder === 'LITTLE_ENDIAN' ? registers.swap16() : registers;
    },
  };
}

// A copy, so that a value does not keep the whole response in memory.
function takeOrdered(bytes: Buffer, at: number, lengthBytes: number, byteOrder: Order): Buffer {
  const registers = Buffer.from(bytes.subarray(at, at + roundUp(lengthBytes)));
  if (byteOrder === 'LITTLE_ENDIAN') registers.swap16();
  return registers.subarray(0, lengthBytes);
}

function roundUp(lengthBytes: number): number {
  return lengthBytes + (lengthBytes % 2);
}

function toTextBytes(value: ChannelValue, encoding: Encoding): Buffer | EncodeFault {
  if (typeof value !== 'string') return new EncodeFault('VALUE_TYPE_MISMATCH', 'expected text');
  if (!isPlainText(value)) {
    return new EncodeFault('VALUE_OUT_OF_RANGE', 'the text contains NUL or an unpaired surrogate');
  }
  try {
    return encodeText(value, encoding);
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    return new EncodeFault('VALUE_OUT_OF_RANGE', error.message);
  }
}
