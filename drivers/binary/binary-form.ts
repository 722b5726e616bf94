import type { ChannelValue } from '../../daemon/channel/value-type.ts';

const DECIMAL = /^[0-9]+$/;

/** The reason why bytes hold no value of a form, or why a value does not fit it; an expected outcome, not an exception. */
export class FormFault {
  readonly code: 'VALUE_NOT_DECODABLE' | 'VALUE_OUT_OF_RANGE' | 'VALUE_TYPE_MISMATCH';
  readonly message: string;

  constructor(code: FormFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/** How bytes hold a value, the most significant first. */
export interface BinaryForm {
  readonly lengthBytes: number;
  /** @param bytes exactly `lengthBytes` */
  readonly decode: (bytes: Buffer) => ChannelValue | FormFault;
  /** @returns exactly `lengthBytes` */
  readonly encode: (value: ChannelValue) => Buffer | FormFault;
}

/** Creates the reason why bytes hold no value of a form, and shows them. */
export function notDecodable(bytes: Buffer, form: string): FormFault {
  return new FormFault(
    'VALUE_NOT_DECODABLE',
    `the device holds ${bytes.toString('hex')}, which is not a ${form}`,
  );
}

/** Rounds a value to the nearest whole number, and checks that it is within the bounds of a form. */
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

/** Returns an integer as a number where that holds all of its digits. */
export function toNatural(value: bigint, lengthBytes: number): number | bigint {
  // Always the same shape for the same form.
  return lengthBytes < 8 ? Number(value) : value;
}

/**
 * Creates the form of packed binary-coded decimals without sign: two digits in each byte. Bytes with a digit above 9 hold no
 * number.
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
