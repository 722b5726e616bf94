import { WIRE } from './proto-writer.ts';

/** Bytes that are no message of protocol buffers, or exceed a bound. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError';
}

/** Reads fields of protocol buffers from bytes of others. Every method throws {@link ProtoError} at their end or for a wrong form. */
export class ProtoReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the number and the wire type of the next field; undefined at the end. */
  next(): { readonly field: number; readonly wire: number } | undefined {
    if (this.#position >= this.#bytes.length) return undefined;
    const tag = this.varint();
    const field = Number(tag >> 3n);
    if (field < 1 || field >= 2 ** 29) throw new ProtoError(`field ${field} is not possible`);
    return { field, wire: Number(tag & 7n) };
  }

  /** Reads an integer of up to 64 bits, unsigned. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new ProtoError('it ends within a number');
      this.#position += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new ProtoError('a number is longer than ten bytes');
  }

  float(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** Reads bytes with their length before them; they share the memory of the whole. */
  bytes(): Uint8Array {
    const length = this.varint();
    if (length > BigInt(this.#bytes.length)) throw new ProtoError('a length is beyond the end');
    const start = this.#take(Number(length));
    return this.#bytes.subarray(start, this.#position);
  }

  text(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes());
    } catch (error) {
      if (error instanceof ProtoError) throw error;
      throw new ProtoError('a text is not UTF-8');
    }
  }

  /** Passes over the value of a field. */
  skip(wire: number): void {
    if (wire === WIRE.VARINT) this.varint();
    else if (wire === WIRE.FIXED64) this.#take(8);
    else if (wire === WIRE.BYTES) this.bytes();
    else if (wire === WIRE.FIXED32) this.#take(4);
    else throw new ProtoError(`wire type ${wire} is not possible`);
  }

  #take(count: number): number {
    const start = this.#position;
    if (start + count > this.#bytes.length) throw new ProtoError('it ends within a field');
    this.#position = start + count;
    return start;
  }
}
