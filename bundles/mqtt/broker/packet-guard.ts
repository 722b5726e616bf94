/**
 * Follows the packets in a stream of bytes and finds one that is too long.
 *
 * The library collects a packet in memory until it is complete, up to 256 MiB; the length is in the first bytes.
 */
export class PacketGuard {
  readonly #maximumBytes: number;
  /** Bytes of the current packet that follow. */
  #left = 0;
  /** Number of length bytes that were read; undefined: the next byte begins a packet. */
  #lengthBytes: number | undefined;
  #length = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** Returns false if these bytes announce a packet that is too long, or a length that is malformed (MQTT 5.0, 1.5.5). */
  accepts(bytes: Uint8Array): boolean {
    for (let index = 0; index < bytes.length; index += 1) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, bytes.length - index);
        this.#left -= skipped;
        index += skipped - 1;
        continue;
      }
      if (this.#lengthBytes === undefined) {
        this.#lengthBytes = 0;
        this.#length = 0;
        continue;
      }
      const byte = bytes[index] ?? 0;
      this.#length += (byte & 0x7f) * 128 ** this.#lengthBytes;
      this.#lengthBytes += 1;
      if (this.#length > this.#maximumBytes) return false;
      if (byte < 0x80) {
        this.#left = this.#length;
        this.#lengthBytes = undefined;
      } else if (this.#lengthBytes === 4) {
        return false;
      }
    }
    return true;
  }
}
