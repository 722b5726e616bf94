import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { ArrayTextFault, formatArray, parseArray } from '../../../daemon/channel/array-text.ts';
import type { ElementKind } from '../../../daemon/channel/array-text.ts';

/** Elements of an array. */
interface Elements {
  readonly kind: ElementKind;
  readonly count: number;
}

/** Reason why a value cannot be encoded; an expected outcome, not an exception. */
export class EncodeFault {
  readonly code: 'VALUE_OUT_OF_RANGE' | 'VALUE_TYPE_MISMATCH';
  readonly message: string;

  constructor(code: EncodeFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Reason why registers contain no valid value. */
export class DecodeFault {
  readonly code: 'VALUE_NOT_DECODABLE' | 'VALUE_NOT_TEXT';
  readonly message: string;

  constructor(code: DecodeFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Decodes the value at a byte offset; all its registers are within `bytes`. */
export type Decode = (bytes: Buffer, at: number) => ChannelValue | DecodeFault;

/** Encodes a value as registers, two bytes each, as sent. */
export type Encode = (value: ChannelValue) => Buffer | EncodeFault;

/** Decoder and encoder of one register format. */
export interface Codec {
  readonly decode: Decode;
  readonly encode: Encode;
}

/**
 * Converts a value to the state of a coil or bit.
 *
 * @param value a boolean, or the numbers 0 and 1
 */
export function toState(value: ChannelValue): boolean | EncodeFault {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    return new EncodeFault('VALUE_TYPE_MISMATCH', 'expected a boolean');
  }
  const number = Number(value);
  if (number === 0 || number === 1) return number === 1;
  return new EncodeFault('VALUE_OUT_OF_RANGE', `${value} is neither 0 nor 1`);
}

/**
 * Creates the codec of consecutive elements; the value is a JSON array as text.
 *
 * @param element codec of one element
 * @param strideBytes distance between two elements
 */
export function createArrayCodec(element: Codec, { kind, count }: Elements, strideBytes: number): Codec {
  return {
    decode: createArrayDecode(element.decode, { kind, count }, strideBytes),
    encode(value) {
      const elements = readArray(value, { kind, count });
      if (elements instanceof EncodeFault) return elements;
      const parts: Buffer[] = [];
      for (const [index, one] of elements.entries()) {
        const part = element.encode(one);
        if (part instanceof EncodeFault) {
          return new EncodeFault(part.code, `element [${index}]: ${part.message}`);
        }
        parts.push(part);
      }
      return Buffer.concat(parts);
    },
  };
}

/**
 * Creates the decoder of consecutive elements; if one has no valid value, neither has the array.
 *
 * @param decode decoder of one element
 * @param stride distance between two elements, in the unit of `decode`
 */
export function createArrayDecode(decode: Decode, { kind, count }: Elements, stride: number): Decode {
  return (bytes, at) => {
    const elements: ChannelValue[] = [];
    for (let index = 0; index < count; index += 1) {
      const element = decode(bytes, at + index * stride);
      if (element instanceof DecodeFault) {
        return new DecodeFault(element.code, `element [${index}]: ${element.message}`);
      }
      elements.push(element);
    }
    return formatArray(kind, elements);
  };
}

/** Parses the elements of an array, or returns the reason for failing. */
export function readArray(
  value: ChannelValue,
  { kind, count }: Elements,
): readonly ChannelValue[] | EncodeFault {
  if (typeof value !== 'string') {
    return new EncodeFault('VALUE_TYPE_MISMATCH', 'expected a JSON array as text');
  }
  const elements = parseArray(kind, value, count);
  return elements instanceof ArrayTextFault ? new EncodeFault(elements.code, elements.message) : elements;
}
