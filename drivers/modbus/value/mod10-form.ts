import { notDecodable, toNatural, toWholeNumber } from '../../binary/binary-form.ts';
import type { BinaryForm } from '../../binary/binary-form.ts';

const BASE = 10_000;

/**
 * Creates the format of modulo-10000 numbers, called MOD10 by Schneider Electric: each register holds four decimal
 * digits as a binary number, most significant first. Registers above 9999 are invalid.
 *
 * @param registers up to 4; with 4, numbers are bigint
 * @param isSigned true if each register has the sign of the number
 */
export function createMod10Form(registers: number, isSigned: boolean): BinaryForm {
  const lengthBytes = 2 * registers;
  const largest = BigInt(BASE) ** BigInt(registers) - 1n;
  const smallest = isSigned ? -largest : 0n;
  return {
    lengthBytes,
    decode(bytes) {
      let number = 0n;
      for (let at = 0; at < lengthBytes; at += 2) {
        const part = isSigned ? bytes.readInt16BE(at) : bytes.readUInt16BE(at);
        if (Math.abs(part) >= BASE) return notDecodable(bytes, 'MOD10 number');
        number = number * BigInt(BASE) + BigInt(part);
      }
      return toNatural(number, lengthBytes);
    },
    encode(value) {
      const number = toWholeNumber(value, `MOD10 of ${registers} registers`, smallest, largest);
      if (typeof number !== 'bigint') return number;
      const bytes = Buffer.alloc(lengthBytes);
      // The remainder has the sign of the number.
      for (let at = lengthBytes - 2, rest = number; at >= 0; at -= 2, rest /= BigInt(BASE)) {
        bytes.writeInt16BE(Number(rest % BigInt(BASE)), at);
      }
      return bytes;
    },
  };
}
