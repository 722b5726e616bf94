import type { ChannelValue } from '../../daemon/channel/value-type.ts';

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
    return new EncodeFault('VALUE_TYPE_MISMATCH', 'the device takes a boolean here');
  }
  const number = Number(value);
  if (number === 0 || number === 1) return number === 1;
  return new EncodeFault('VALUE_OUT_OF_RANGE', `${value} is neither 0 nor 1`);
}
