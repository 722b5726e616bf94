const INITIAL_BYTES = 4096;
/** Numbers that a variable-length integer holds: those that a double holds exactly. */
const LIMIT = Number.MAX_SAFE_INTEGER;

/** Writes numbers, bytes and texts one after another into memory that grows; `ColumnReader` reads them back. */
export class ColumnWriter {
  #bytes: Buffer;
  #length = 0;

  /** @param expectedBytes how many are likely to be written */
  constructor(expectedBytes = INITIAL_BYTES) {
    // Not a part of a larger buffer, which would stay as long.
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Writes an integer within 0..255. */
  writeByte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  /**
   * Writes a natural number in groups of seven bits, the lowest first (as LEB128 does).
   *
   * @throws {RangeError} beyond 2^53 - 1, for a negative number, and for a fraction
   */
  writeNatural(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value > LIMIT)
      throw new RangeError(`${value} is not a natural number`);
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length] = (rest % 128) + 128;
      this.#length += 1;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /**
   * Writes an integer so that small ones of either sign are short.
   *
   * @throws {RangeError} beyond ±(2^52 - 1), and for a fraction
   */
  writeInteger(value: number): void {
    this.writeNatural(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Writes a double, little-endian. */
  writeDouble(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** Writes an integer within -2^63..2^63-1, little-endian. */
  writeLong(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeBigInt64LE(value, this.#length);
  }

  /** Writes bytes after their number. */
  writeBytes(value: Uint8Array): void {
    this.writeNatural(value.length);
    this.writeAll(value);
  }

  /** Writes bytes as they are. */
  writeAll(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Writes a text as UTF-8 after the number of its bytes. */
  writeText(value: string): void {
    this.writeBytes(Buffer.from(value));
  }

  /** Returns the bytes written so far. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
