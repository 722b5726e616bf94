import { FormFault, notDecodable, toWholeNumber } from '../../binary/binary-form.ts';
import type { BinaryForm } from '../../binary/binary-form.ts';

const BITS_PER_BYTE = 8;
const LARGEST_MANTISSA = 2 ** 23 - 1;
const SMALLEST_EXPONENT = -(2 ** 7);
const LARGEST_EXPONENT = 2 ** 7 - 1;

/** Creates the format of integers of 24 or 48 bits; signed ones are two's complement. */
export function createIntegerForm(lengthBytes: 3 | 6, isSigned: boolean): BinaryForm {
  const size = 2n ** BigInt(BITS_PER_BYTE * lengthBytes);
  const [smallest, largest] = isSigned ? [-size / 2n, size / 2n - 1n] : [0n, size - 1n];
  return {
    lengthBytes,
    decode: (bytes) => (isSigned ? bytes.readIntBE(0, lengthBytes) : bytes.readUIntBE(0, lengthBytes)),
    encode(value) {
      const number = toWholeNumber(value, `${BITS_PER_BYTE * lengthBytes} bits`, smallest, largest);
      if (typeof number !== 'bigint') return number;
      const bytes = Buffer.alloc(lengthBytes);
      bytes.writeUIntBE(Number(number < 0n ? number + size : number), 0, lengthBytes);
      return bytes;
    },
  };
}

/** Creates the format of integers whose most significant bit is the sign, and the others their magnitude. */
export function createSignMagnitudeForm(lengthBytes: 2 | 4): BinaryForm {
  const sign = 2 ** (BITS_PER_BYTE * lengthBytes - 1);
  const largest = BigInt(sign) - 1n;
  return {
    lengthBytes,
    decode(bytes) {
      const pattern = bytes.readUIntBE(0, lengthBytes);
      // There is a negative zero, which is 0.
      return pattern > sign ? sign - pattern : pattern % sign;
    },
    encode(value) {
      const number = toWholeNumber(value, 'sign and magnitude', -largest, largest);
      if (typeof number !== 'bigint') return number;
      const bytes = Buffer.alloc(lengthBytes);
      bytes.writeUIntBE(Number(number < 0n ? BigInt(sign) - number : number), 0, lengthBytes);
      return bytes;
    },
  };
}

/**
 * Creates the format of a magnitude that is followed by a register with its direction: 0 is positive, 1 is negative. Other
 * directions are invalid.
 *
 * @param magnitudeBytes length of the magnitude
 */
export function createDirectionForm(magnitudeBytes: 2 | 4): BinaryForm {
  const largest = 2n ** BigInt(BITS_PER_BYTE * magnitudeBytes) - 1n;
  const lengthBytes = magnitudeBytes + 2;
  return {
    lengthBytes,
    decode(bytes) {
      const magnitude = bytes.readUIntBE(0, magnitudeBytes);
      const direction = bytes.readUInt16BE(magnitudeBytes);
      if (direction > 1) return notDecodable(bytes, 'number with a direction of 0 or 1');
      return direction === 0 || magnitude === 0 ? magnitude : -magnitude;
    },
    encode(value) {
      const number = toWholeNumber(value, 'a number with a direction', -largest, largest);
      if (typeof number !== 'bigint') return number;
      const bytes = Buffer.alloc(lengthBytes);
      bytes.writeUIntBE(Number(number < 0n ? -number : number), 0, magnitudeBytes);
      bytes.writeUInt16BE(number < 0n ? 1 : 0, magnitudeBytes);
      return bytes;
    },
  };
}

/**
 * Creates the format of mantissa × 10^exponent: a mantissa of 24 bits and an exponent of 8, both in two's complement. A
 * value is written as the nearest number with the shortest mantissa.
 *
 * @param isExponentFirst true if the exponent is the most significant byte
 */
export function createMantissaForm(isExponentFirst: boolean): BinaryForm {
  const [mantissaAt, exponentAt] = isExponentFirst ? [1, 0] : [0, 3];
  return {
    lengthBytes: 4,
    // Reading the text rounds once, which a product does not.
    decode: (bytes) => Number(`${bytes.readIntBE(mantissaAt, 3)}e${bytes.readInt8(exponentAt)}`),
    encode(value) {
      if (typeof value === 'string' || typeof value === 'object') {
        return new FormFault('VALUE_TYPE_MISMATCH', 'expected a number');
      }
      const parts = splitNumber(Number(value));
      if (parts === undefined) {
        return new FormFault('VALUE_OUT_OF_RANGE', `${value} is out of range for a mantissa of 24 bits`);
      }
      const bytes = Buffer.alloc(4);
      bytes.writeIntBE(parts.mantissa, mantissaAt, 3);
      bytes.writeInt8(parts.exponent, exponentAt);
      return bytes;
    },
  };
}

/** Returns the nearest mantissa × 10^exponent; undefined if it is beyond the largest. */
function splitNumber(value: number): { readonly mantissa: number; readonly exponent: number } | undefined {
  if (!Number.isFinite(value)) return undefined;
  // 24 bits hold six decimal digits, and most of seven.
  for (const digits of [7, 6]) {
    const [decimal = '0', power = '0'] = value.toExponential(digits - 1).split('e');
    const [whole = '0', fraction = ''] = decimal.split('.');
    let mantissa = Number(whole + fraction);
    let exponent = Number(power) - fraction.length;
    while (mantissa !== 0 && mantissa % 10 === 0) {
      mantissa /= 10;
      exponent += 1;
    }
    if (Math.abs(mantissa) > LARGEST_MANTISSA) continue;
    for (; exponent > LARGEST_EXPONENT && Math.abs(mantissa * 10) <= LARGEST_MANTISSA; exponent -= 1)
      mantissa *= 10;
    if (mantissa === 0) return { mantissa: 0, exponent: 0 };
    if (exponent > LARGEST_EXPONENT) return undefined;
    if (exponent >= SMALLEST_EXPONENT) return { mantissa, exponent };
    const smallest = Math.round(mantissa / 10 ** (SMALLEST_EXPONENT - exponent));
    return smallest === 0
      ? { mantissa: 0, exponent: 0 }
      : { mantissa: smallest, exponent: SMALLEST_EXPONENT };
  }
  return undefined;
}
