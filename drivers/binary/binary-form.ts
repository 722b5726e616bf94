import type { ChannelValue } from '../../daemon/channel/value-type.ts';

const DECIMAL = /^[0-9]+$/;

/** Reason why bytes are not a valid value, or a value cannot be encoded; an expected outcome, not an exception. */
export class FormFault {
  readonly code: 'VALUE_NOT_DECODABLE' | 'VALUE_OUT_OF_RANGE' | 'VALUE_TYPE_MISMATCH';
  readonly message: string;

  constructor(code: FormFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Encoding of a value in bytes, most significant first. */
export interface BinaryForm {
  readonly lengthBytes: number;
  /** @param bytes exactly `lengthBytes` */
  readonly decode: (bytes: Buffer) => ChannelValue | FormFault;
  /** @returns exactly `lengthBytes` */
  readonly encode: (value: ChannelValue) => Buffer | FormFault;
}

/** Creates the fault of invalid bytes, with their hexadecimal digits. */
export function notDecodable(bytes: Buffer, form: string): FormFault {
  return new FormFault(
    'VALUE_NOT_DECODABLE',
    `the device holds ${bytes.toString('hex')}, which is not a ${form}`,
  );
}

/** Rounds a value to the nearest integer and checks its range. */
export function toWholeNumber(
  value: ChannelValue,
  form: string,
  minimum: bigint,
  maximum: bigint,
): bigint | FormFault {
  if (typeof value === 'string' || typeof value === 'object') {
    return new FormFault('VALUE_TYPE_MISMATCH', 'expected a number');
  }
  const isNumber = typeof value === 'bigint' || Number.isFinite(Number(value));
  const whole = isNumber ? BigInt(typeof value === 'bigint' ? value : Math.round(Number(value))) : undefined;
  if (whole === undefined || whole < minimum || whole > maximum) {
    return new FormFault(
      'VALUE_OUT_OF_RANGE',
      `${value} is out of range for ${form}, ${minimum} to ${maximum}`,
    );
  }
  return whole;
}

/** Converts an integer to a number if that has enough digits. */
export function toNatural(value: bigint, lengthBytes: number): number | bigint {
  // The same type for the same format.
  return lengthBytes < 8 ? Number(value) : value;
}

/**
 * Creates the format of unsigned packed binary-coded decimals: two digits per byte. Bytes with a digit above 9 are
 * invalid.
 *
 * @param lengthBytes up to 8; from 8 on numbers are bigint
 */
export function createBcdForm(lengthBytes: number): BinaryForm {
  const digits = 2 * lengthBytes;
  const largest = 10n ** BigInt(digits) - 1n;
  return {
    lengthBytes,
    decode(bytes) {
      const text = bytes.toString('hex');
      return DECIMAL.test(text) ? toNatural(BigInt(text), lengthBytes) : notDecodable(bytes, 'BCD number');
    },
    encode(value) {
      const number = toWholeNumber(value, `BCD of ${digits} digits`, 0n, largest);
      return typeof number === 'bigint' ? Buffer.from(String(number).padStart(digits, '0'), 'hex') : number;
    },
  };
}
