import { BundleError } from '../bundle-error.ts';

/** Maximum length of a message between gateway and bundle. */
export const MAXIMUM_FRAME_BYTES = 1_048_576;
const LENGTH_BYTES = 4;

/**
 * Encodes a message as a frame: its length in four bytes, big-endian, then its bytes.
 *
 * @throws {BundleError} `BUNDLE_OVERLOADED` when it is longer than a frame may be
 */
export function encodeFrame(message: string): Buffer {
  const length = Buffer.byteLength(message);
  if (length > MAXIMUM_FRAME_BYTES) {
    throw new BundleError('BUNDLE_OVERLOADED', `a message of ${length} bytes is too long`);
  }
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length);
  frame.write(message, LENGTH_BYTES, 'utf8');
  return frame;
}

/** Splits a byte stream into messages; it holds at most one incomplete message and the bytes that arrived with it. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /**
   * Returns the next complete message; undefined until it has arrived.
   *
   * @throws {BundleError} `BUNDLE_PROTOCOL_VIOLATED` when its length is 0 or more than `MAXIMUM_FRAME_BYTES`, before its bytes
   *   are stored
   */
  next(): Buffer | undefined {
    if (this.#length < LENGTH_BYTES) return undefined;
    if ((this.#chunks[0]?.length ?? 0) < LENGTH_BYTES) this.#join();
    const length = this.#chunks[0]?.readUInt32BE() ?? 0;
    if (length === 0 || length > MAXIMUM_FRAME_BYTES) {
      throw new BundleError('BUNDLE_PROTOCOL_VIOLATED', `a message cannot have ${length} bytes`);
    }
    if (this.#length < LENGTH_BYTES + length) return undefined;
    // Joined once per message: joining at every chunk would take quadratic time.
    const bytes = this.#join();
    const rest = bytes.subarray(LENGTH_BYTES + length);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  }

  #join(): Buffer {
    const [first, ...others] = this.#chunks;
    const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }
}
