import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { decodeText } from '../binary/text-encoding.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import type { BinaryResponse, DataType } from './serial-address.ts';

type NumberType = Exclude<DataType, 'STRING' | 'BYTES'>;

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
 * Reads a value from the bytes of a frame.
 *
 * @returns undefined when the frame ends before the value does, or a STRING is none in the encoding
 */
export function readBinaryValue(
  frame: Buffer,
  { offset, dataType, byteOrder, length }: BinaryResponse,
  encoding: Encoding,
): ChannelValue | undefined {
  if (dataType === 'STRING' || dataType === 'BYTES') {
    const end = length === undefined ? frame.length : offset + length;
    if (end > frame.length || offset > frame.length) return undefined;
    const bytes = frame.subarray(offset, end);
    return dataType === 'BYTES' ? Buffer.from(bytes) : decodeText(bytes, encoding);
  }
  const form = FORMS[dataType];
  if (offset + form.bytes > frame.length) return undefined;
  return byteOrder === 'BIG_ENDIAN' ? form.readBig(frame, offset) : form.readLittle(frame, offset);
}
