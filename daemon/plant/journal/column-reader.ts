/** Bytes do not contain what they should. */
export class ColumnFault extends Error {}

/** Reads what a `ColumnWriter` wrote, in the same order. */
export class ColumnReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** True if everything was read. */
  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** @throws {ColumnFault} at the end of the bytes */
  readByte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new ColumnFault('the bytes end early');
    this.#position += 1;
    return byte;
  }

  /** @throws {ColumnFault} at the end of the bytes, and beyond 2^53 - 1 */
  readNatural(): number {
    let value = this.readByte();
    if (value < 128) return value;
    value -= 128;
    for (let factor = 128; ; factor *= 128) {
      const byte = this.readByte();
      value += (byte % 128) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new ColumnFault('a number is too large');
      if (byte < 128) return value;
      if (factor > 2 ** 49) throw new ColumnFault('a number is too long');
    }
  }

  /** @throws {ColumnFault} as `readNatural` does */
  readInteger(): number {
    return unfold(this.readNatural());
  }

  /** @throws {ColumnFault} as `readNatural` does */
  readIntegers(count: number): Float64Array {
    this.expect(count);
    const integers = new Float64Array(count);
    for (let index = 0; index < count; index += 1) integers[index] = this.readInteger();
    return integers;
  }

  /**
   * Expects so many numbers, texts or the like: a damaged count costs no memory.
   *
   * @throws {ColumnFault} if fewer bytes are left
   */
  expect(count: number): void {
    if (count > this.#bytes.length - this.#position) throw new ColumnFault('the bytes end early');
  }

  /** @throws {ColumnFault} at the end of the bytes */
  readDouble(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  /** @throws {ColumnFault} at the end of the bytes */
  readLong(): bigint {
    return this.#bytes.readBigInt64LE(this.#take(8));
  }

  /** @throws {ColumnFault} at the end of the bytes */
  readBytes(): Buffer {
    const length = this.readNatural();
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** @throws {ColumnFault} at the end of the bytes */
  readText(): string {
    return this.readBytes().toString();
  }

  #take(count: number): number {
    const start = this.#position;
    if (start + count > this.#bytes.length) throw new ColumnFault('the bytes end early');
    this.#position = start + count;
    return start;
  }
}

function unfold(folded: number): number {
  return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
}
