/** Wire types of protocol buffers. */
export const WIRE = { VARINT: 0, FIXED64: 1, BYTES: 2, FIXED32: 5 } as const;

const FIRST_BYTES = 4096;
const TWO_TO_32 = 2 ** 32;

/** Writes fields of protocol buffers one after the other into a buffer that grows. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Number of bytes that were written. */
  get length(): number {
    return this.#length;
  }

  /** Returns a copy of what was written, and starts again. */
  finish(): Uint8Array {
    const result = Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
    this.#length = 0;
    return result;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0;
  }

  /** Writes an unsigned integer, or a signed one in two's complement of 64 bits; a fraction is cut off. */
  integer(field: number, value: number | bigint): void {
    this.#tag(field, WIRE.VARINT);
    if (typeof value === 'bigint') this.#varint64(BigInt.asUintN(64, value));
    else if (value >= 0) this.#varint(Math.trunc(value));
    else this.#varint64(BigInt.asUintN(64, BigInt(Math.trunc(value))));
  }

  boolean(field: number, value: boolean): void {
    this.#tag(field, WIRE.VARINT);
    this.#varint(value ? 1 : 0);
  }

  float(field: number, value: number): void {
    this.#tag(field, WIRE.FIXED32);
    this.#reserve(4);
    this.#length = this.#bytes.writeFloatLE(value, this.#length);
  }

  double(field: number, value: number): void {
    this.#tag(field, WIRE.FIXED64);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  text(field: number, value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#tag(field, WIRE.BYTES);
    this.#varint(bytes);
    this.#reserve(bytes);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, WIRE.BYTES);
    this.#varint(value.byteLength);
    this.#reserve(value.byteLength);
    this.#bytes.set(value, this.#length);
    this.#length += value.byteLength;
  }

  /** Writes a message: what `write` writes. */
  message(field: number, write: () => unknown): void {
    this.#tag(field, WIRE.BYTES);
    this.#reserve(1);
    const start = this.#length + 1;
    // Most messages are short: one byte is kept free for their length, and longer ones move.
    this.#length = start;
    write();
    const written = this.#length - start;
    const lengthBytes = countBytes(written);
    if (lengthBytes > 1) {
      this.#reserve(lengthBytes - 1);
      this.#bytes.copyWithin(start + lengthBytes - 1, start, start + written);
    }
    this.#length = start - 1;
    this.#varint(written);
    this.#length += written;
  }

  #tag(field: number, wire: number): void {
    this.#varint(field * 8 + wire);
  }

  /** @param value 0 to 2^53 - 1 */
  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest >= TWO_TO_32) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #varint64(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function countBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) count += 1;
  return count;
}
