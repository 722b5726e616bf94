const ZERO = 0x30;
const HIGHEST_ASCII = 0x7f;
// Up to here, a call of the runtime takes longer than to write each character.
const SHORT = 32;
// Both halves of a number are 32-bit integers.
const HALF_DIGITS = 7;
const HALF = 10 ** HALF_DIGITS;
const HIGHEST = 2 ** 31 * HALF - 1;
// UTF-8 has three bytes for a code unit of UTF-16 at most.
const LONGEST_UNIT = 3;

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
    this.#reserve(text.length * LONGEST_UNIT);
    if (text.length > SHORT || !this.#writeShort(text)) this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes a number; one that is whole and not negative, without making a text of it. */
  number(value: number): void {
    if (!(value >= 0 && value <= HIGHEST && Number.isInteger(value))) return this.text(String(value));
    this.#reserve(2 * HALF_DIGITS + 3);
    if (value < HALF) return this.#digits(value, 1);
    const high = Math.floor(value / HALF);
    this.#digits(high, 1);
    this.#digits(value - high * HALF, HALF_DIGITS);
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
