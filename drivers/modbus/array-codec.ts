import { ArrayTextFault, formatArray, parseArray } from '../../daemon/channel/array-text.ts';
import type { ElementKind } from '../../daemon/channel/array-text.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { DecodeFault, EncodeFault } from './codec.ts';
import type { Codec, Decode } from './codec.ts';

/** The elements of an array. */
export interface Elements {
  readonly kind: ElementKind;
  readonly count: number;
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
    return new EncodeFault('VALUE_TYPE_MISMATCH', 'the device takes the text of a JSON array here');
  }
  const elements = parseArray(kind, value, count);
  return elements instanceof ArrayTextFault ? new EncodeFault(elements.code, elements.message) : elements;
}
