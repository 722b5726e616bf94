const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30];
const HIGHEST_ASCII = 0x7f;
// Up to here, a call of the runtime takes longer than to write each character.
const SHORT = 32;
// Both halves of a number are 32-bit integers.
const HALF_DIGITS = 7;
const HALF = 10 ** HALF_DIGITS;
const HIGHEST = 2 ** 31 * HALF - 1;
const MAXIMUM_THOUSANDTHS = 1e12;
// Seventeen digits, or a sign, nine digits, a point and three more.
const MAXIMUM_NUMBER_BYTES = 17;
// UTF-8 has three bytes for a code unit of UTF-16 at most.
const MAXIMUM_UNIT_BYTES = 3;

/**
 * Writes JSON into bytes that grow as needed.
 *
 * Texts that are joined first, to be encoded as a whole, take half as long again, and leave more garbage than they are long.
 */
export class JsonWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param expectedBytes how long the result is likely to be */
  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes);
  }

  /** Writes text as it is. One that is written again and again should be {@link flatten flat}. */
  text(text: string): void {
    this.#reserve(text.length * MAXIMUM_UNIT_BYTES);
    if (text.length > SHORT || !this.#writeShort(text)) this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes a finite number; one that is whole and not negative, or short, without making a text of it. */
  number(value: number): void {
    if (!(value >= 0 && value <= HIGHEST && Number.isInteger(value))) return this.#decimal(value);
    this.#reserve(MAXIMUM_NUMBER_BYTES);
    if (value === 0) this.#signOfZero(value);
    this.#whole(value);
  }

  /** Writes thousandths, fewer than 10^12, as the shortest decimal of their sum; a negative zero has its sign. */
  thousandths(count: number): void {
    this.#reserve(MAXIMUM_NUMBER_BYTES);
    const magnitude = Math.abs(count);
    if (count < 0) this.#unit(MINUS);
    else if (count === 0) this.#signOfZero(count);
    const units = Math.floor(magnitude / 1000);
    this.#whole(units);
    let rest = magnitude - units * 1000;
    if (rest > 0) this.#unit(POINT);
    for (let place = 100; rest > 0; place /= 10) {
      const digit = Math.floor(rest / place);
      this.#unit(ZERO + digit);
      rest -= digit * place;
    }
  }

  /** Writes text that is encoded already. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns what was written; nothing more can be. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @returns whether it is written: it may have other characters than those of ASCII */
  #writeShort(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > HIGHEST_ASCII) return false;
      bytes[start + index] = unit;
    }
    this.#length = start + text.length;
    return true;
  }

  #decimal(value: number): void {
    const thousandths = Math.round(value * 1000);
    // Of all decimals with up to fifteen digits one alone is this number (C11, DBL_DIG): it is the shortest.
    if (Math.abs(thousandths) < MAXIMUM_THOUSANDTHS && thousandths / 1000 === value)
      this.thousandths(thousandths);
    else this.text(String(value));
  }

  #whole(value: number): void {
    if (value < HALF) return this.#digits(value, 1);
    const high = Math.floor(value / HALF);
    this.#digits(high, 1);
    this.#digits(value - high * HALF, HALF_DIGITS);
  }

  #signOfZero(zero: number): void {
    if (Object.is(zero, -0)) this.#unit(MINUS);
  }

  #unit(unit: number): void {
    this.#bytes[this.#length] = unit;
    this.#length += 1;
  }

  #digits(value: number, least: number): void {
    let count = least;
    for (let bound = 10 ** least; bound <= value; bound *= 10) count += 1;
    const end = this.#length + count;
    let left = value;
    for (let position = end - 1; position >= this.#length; position -= 1) {
      const tens = Math.trunc(left / 10);
      this.#bytes[position] = ZERO + left - tens * 10;
      left = tens;
    }
    this.#length = end;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

/** Returns a text in one piece: the runtime keeps one that was joined as its parts, and looks for them each time it is encoded. */
export function flatten(text: string): string {
  return Buffer.from(text).toString();
}
