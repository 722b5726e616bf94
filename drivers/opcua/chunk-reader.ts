/** The first eight bytes of every message chunk: type, chunk type, and length with the header (OPC 10000-6, 6.7.2.2). */
const HEADER_BYTES = 8;
const MESSAGE_TYPES: ReadonlySet<string> = new Set(['ACK', 'ERR', 'OPN', 'MSG', 'CLO']);
const CHUNK_TYPES: ReadonlySet<string> = new Set(['F', 'C', 'A']);

/** Limits for the messages of a server. */
export interface ChunkLimits {
  readonly maximumChunkBytes: number;
  /** Of all chunks of one message. */
  readonly maximumMessageBytes: number;
}

/** The bytes received break the protocol or exceed a limit; the connection is of no further use. */
export class ChunkFault extends Error {}

/** Cuts the bytes of a server into message chunks; keeps at most one unfinished chunk. */
export class ChunkReader {
  readonly #limits: ChunkLimits;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the chunks since the last final one. */
  #messageBytes = 0;

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  /**
   * Takes bytes and returns the chunks that they complete, headers included.
   *
   * @throws {ChunkFault} as soon as a header cannot be right, before its body is waited for
   */
  *feed(bytes: Buffer): Generator<Buffer> {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    for (;;) {
      if (this.#bytes < HEADER_BYTES) return;
      const length = this.#checkHeader(this.#peekHeader());
      if (this.#bytes < length) return;
      const received = this.#join();
      this.#parts = [received.subarray(length)];
      this.#bytes -= length;
      yield received.subarray(0, length);
    }
  }

  // The header is checked with each part that a slow sender sends; only as many parts as needed are joined.
  #peekHeader(): Buffer {
    const [first] = this.#parts;
    return first !== undefined && first.length >= HEADER_BYTES ? first : this.#join();
  }

  #join(): Buffer {
    const [first] = this.#parts;
    if (first === undefined || this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] ?? Buffer.alloc(0);
  }

  #checkHeader(header: Buffer): number {
    const type = header.toString('latin1', 0, 3);
    const chunkType = header.toString('latin1', 3, 4);
    const length = header.readUInt32LE(4);
    if (!MESSAGE_TYPES.has(type) || !CHUNK_TYPES.has(chunkType)) {
      throw new ChunkFault('it sent something that is no OPC UA message');
    }
    const { maximumChunkBytes, maximumMessageBytes } = this.#limits;
    if (length < HEADER_BYTES || length > maximumChunkBytes) {
      throw new ChunkFault(`it sent a message chunk of ${length} bytes; expected up to ${maximumChunkBytes}`);
    }
    if (this.#bytes < length) return length;
    this.#messageBytes = this.#messageBytes + length;
    if (this.#messageBytes > maximumMessageBytes) {
      throw new ChunkFault(`it sent a message of more than ${maximumMessageBytes} bytes`);
    }
    if (chunkType !== 'C') this.#messageBytes = 0;
    return length;
  }
}
