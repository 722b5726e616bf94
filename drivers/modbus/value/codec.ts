import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { ArrayTextFault, formatArray, parseArray } from '../../../daemon/channel/array-text.ts';
import type { ElementKind } from '../../../daemon/channel/array-text.ts';

/** The elements of an array. */
interface Elements {
  readonly kind: ElementKind;
  readonly count: number;
}

/** The reason why a value cannot be written in the form of the address; an expected outcome, not an exception. */
export class EncodeFault {
  readonly code: 'VALUE_OUT_OF_RANGE' | 'VALUE_TYPE_MISMATCH';
  readonly message: string;

  constructor(code: EncodeFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** The reason why registers hold no value of their form. */
export class DecodeFault {
  readonly code: 'VALUE_NOT_DECODABLE' | 'VALUE_NOT_TEXT';
  readonly message: string;

  constructor(code: DecodeFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Reads a value that begins at a byte position; all its registers lie within `bytes`. */
export type Decode = (bytes: Buffer, at: number) => ChannelValue | DecodeFault;

/** Encodes a value as registers, two bytes each as they go over the wire. */
export type Encode = (value: ChannelValue) => Buffer | EncodeFault;

/** Both directions of one form of registers. */
export interface Codec {
  readonly decode: Decode;
  readonly encode: Encode;
}

/**
 * Turns a value into the state of a coil or bit.
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
 * Prepares the conversion of elements that follow one another to the text of a JSON array.
 *
 * @param element codec of one
 * @param strideBytes from one element to the next
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
 * Prepares reading elements that follow one another as the text of a JSON array; if one has no value, the array has none.
 *
 * @param decode of one element
 * @param stride from one element to the next, in what `decode` counts
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

/** Reads the elements from the text of an array, or returns why it does not have them. */
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
