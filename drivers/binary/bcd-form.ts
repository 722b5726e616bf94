import { notDecodable, toNatural, toWholeNumber } from './binary-form.ts';
import type { BinaryForm } from './binary-form.ts';

const DECIMAL = /^[0-9]+$/;

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
