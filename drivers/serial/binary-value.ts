import { ArrayTextFault, formatArray, parseArray } from '../../daemon/channel/array-text.ts';
import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import { FormFault, createBcdForm } from '../binary/binary-form.ts';
import type { BinaryForm } from '../binary/binary-form.ts';
import { decodeText, trimPadding } from '../binary/text-encoding.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import { createTimeForm } from '../binary/time-form.ts';
import { elementKindOf } from '../binary/value-group.ts';
import { groupOf, isTime } from './binary-type.ts';
import type { NumberType } from './binary-type.ts';
import type { BinaryResponse } from './serial-address.ts';

/** Finds a value in the bytes of a frame; undefined if the frame ends too early or contains no valid value. */
type BinaryReader = (frame: Buffer) => ChannelValue | undefined;

/** Decodes one value at a byte offset. */
interface Element {
  /** Absent if the value extends to the end of the frame. */
  readonly bytes: number | undefined;
  readonly read: (frame: Buffer, at: number) => ChannelValue | undefined;
}

interface NumberForm {
  readonly bytes: number;
  readonly readBig: (frame: Buffer, at: number) => number | bigint;
  readonly readLittle: (frame: Buffer, at: number) => number | bigint;
}

const FORMS: Readonly<Record<NumberType, NumberForm>> = {
  INT8: { bytes: 1, readBig: (b, at) => b.readInt8(at), readLittle: (b, at) => b.readInt8(at) },
  UINT8: { bytes: 1, readBig: (b, at) => b.readUInt8(at), readLittle: (b, at) => b.readUInt8(at) },
  INT16: { bytes: 2, readBig: (b, at) => b.readInt16BE(at), readLittle: (b, at) => b.readInt16LE(at) },
  UINT16: { bytes: 2, readBig: (b, at) => b.readUInt16BE(at), readLittle: (b, at) => b.readUInt16LE(at) },
  INT32: { bytes: 4, readBig: (b, at) => b.readInt32BE(at), readLittle: (b, at) => b.readInt32LE(at) },
  UINT32: { bytes: 4, readBig: (b, at) => b.readUInt32BE(at), readLittle: (b, at) => b.readUInt32LE(at) },
  INT64: { bytes: 8, readBig: (b, at) => b.readBigInt64BE(at), readLittle: (b, at) => b.readBigInt64LE(at) },
  UINT64: {
    bytes: 8,
    readBig: (b, at) => b.readBigUInt64BE(at),
    readLittle: (b, at) => b.readBigUInt64LE(at),
  },
  FLOAT32: { bytes: 4, readBig: (b, at) => b.readFloatBE(at), readLittle: (b, at) => b.readFloatLE(at) },
  FLOAT64: { bytes: 8, readBig: (b, at) => b.readDoubleBE(at), readLittle: (b, at) => b.readDoubleLE(at) },
};

/**
 * Creates the reader of a channel value in the bytes of a frame.
 *
 * @param valueType value type of the channel: a time is text for STRING, otherwise milliseconds since the epoch
 */
export function createBinaryReader(
  response: BinaryResponse,
  valueType: ValueType,
  encoding: Encoding,
): BinaryReader {
  const { offset, dataType, count } = response;
  const { bytes, read } = createElement(response, valueType, encoding);
  const needed = bytes === undefined ? 0 : bytes * (count ?? 1);
  return (frame) => {
    if (offset + needed > frame.length) return undefined;
    if (count === undefined || bytes === undefined) return read(frame, offset);
    const elements = Array.from({ length: count }, (_, index) => read(frame, offset + index * bytes));
    const found = elements.filter((element) => element !== undefined);
    return found.length === count
      ? formatArray(elementKindOf(dataType, groupOf(dataType)), found)
      : undefined;
  };
}

/** True if two texts denote the same value in the type of the response. */
export function isSameText(response: BinaryResponse, shown: string, text: string): boolean {
  if (shown === text) return true;
  const { dataType, count } = response;
  if (count === undefined) return toShown(response, text) === shown;
  const kind = elementKindOf(dataType, groupOf(dataType));
  const elements = parseArray(kind, text, count);
  if (elements instanceof ArrayTextFault) return false;
  return (
    formatArray(
      kind,
      elements.map((element) => toShown(response, element)),
    ) === shown
  );
}

function toShown({ dataType, trim = false, timeZone }: BinaryResponse, value: ChannelValue): ChannelValue {
  if (dataType === 'STRING') return trim && typeof value === 'string' ? trimPadding(value) : value;
  if (!isTime(dataType)) return value;
  const form = createTimeForm(dataType, true, timeZone);
  const bytes = form.encode(value);
  const decoded = bytes instanceof FormFault ? bytes : form.decode(bytes);
  return decoded instanceof FormFault ? value : decoded;
}

function createElement(response: BinaryResponse, valueType: ValueType, encoding: Encoding): Element {
  const { dataType, byteOrder, length, trim = false, timeZone } = response;
  const end = (frame: Buffer, at: number): number => (length === undefined ? frame.length : at + length);
  switch (dataType) {
    case 'STRING':
      return {
        bytes: length,
        read(frame, at) {
          const text = decodeText(frame.subarray(at, end(frame, at)), encoding);
          return trim && text !== undefined ? trimPadding(text) : text;
        },
      };
    case 'BYTES':
      return { bytes: length, read: (frame, at) => Buffer.from(frame.subarray(at, end(frame, at))) };
    case 'BCD16':
    case 'BCD24':
    case 'BCD32':
    case 'BCD64':
      return createFormElement(createBcdForm(Number(dataType.slice(3)) / 8), byteOrder);
    default: {
      if (isTime(dataType)) {
        return createFormElement(createTimeForm(dataType, valueType === 'STRING', timeZone), byteOrder);
      }
      const { bytes, readBig, readLittle } = FORMS[dataType];
      return { bytes, read: byteOrder === 'BIG_ENDIAN' ? readBig : readLittle };
    }
  }
}

function createFormElement(
  { lengthBytes, decode }: BinaryForm,
  byteOrder: BinaryResponse['byteOrder'],
): Element {
  return {
    bytes: lengthBytes,
    read(frame, at) {
      const bytes = Buffer.from(frame.subarray(at, at + lengthBytes));
      if (byteOrder === 'LITTLE_ENDIAN') bytes.reverse();
      const value = decode(bytes);
      return value instanceof FormFault ? undefined : value;
    },
  };
}
