// Noise, an echo and the longest frame of either mode fit.
const CAPACITY_BYTES = 2048;

/** The received bytes that are not parsed yet; bounded. */
export class ReceivedBytes {
  readonly #buffer = Buffer.allocUnsafeSlow(CAPACITY_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A view, valid until the next change. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Adds bytes; false when they do not fit, of which as many are kept as do. */
  push(bytes: Buffer): boolean {
    const copied = bytes.copy(this.#buffer, this.#length);
    this.#length += copied;
    return copied === bytes.length;
  }

  startsWith(sent: Buffer): boolean {
    return this.#length >= sent.length && this.bytes.subarray(0, sent.length).equals(sent);
  }

  /** Drops the first occurrence of these bytes and all before it; false when they are not there. */
  dropThrough(sent: Buffer): boolean {
    const start = this.bytes.indexOf(sent);
    if (start === -1) return false;
    const rest = this.bytes.copyWithin(0, start + sent.length);
    this.#length = Math.max(0, rest.length - start - sent.length);
    return true;
  }

  clear(): void {
    this.#length = 0;
  }
}
