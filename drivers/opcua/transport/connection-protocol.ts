/** The limits of a connection as one side tells them (OPC 10000-6, 7.1.2.3 and 7.1.2.4), in bytes and chunks. */
export interface ConnectionLimits {
  readonly protocolVersion: number;
  readonly receiveBufferSize: number;
  readonly sendBufferSize: number;
  /** 0 for any. */
  readonly maxMessageSize: number;
  /** 0 for any. */
  readonly maxChunkCount: number;
}

/** The first eight bytes of every message chunk: type, chunk type, and length with the header (OPC 10000-6, 6.7.2.2). */
const HEADER_BYTES = 8;
const MESSAGE_TYPES: ReadonlySet<string> = new Set(['ACK', 'ERR', 'OPN', 'MSG', 'CLO']);
const CHUNK_TYPES: ReadonlySet<string> = new Set(['F', 'C', 'A']);
// A buffer is never smaller (OPC 10000-6, 7.1.2.3).
const SMALLEST_BUFFER_BYTES = 8192;
const LIMITS_BYTES = 20;

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
      throw new ChunkFault('it sent data that is not an OPC UA message');
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

/** Writes the Hello message with which a client opens a connection. */
export function encodeHello(limits: ConnectionLimits, endpointUrl: string): Buffer {
  const url = Buffer.from(endpointUrl, 'utf8');
  const message = Buffer.alloc(HEADER_BYTES + LIMITS_BYTES + 4 + url.length);
  message.write('HELF', 'latin1');
  message.writeUInt32LE(message.length, 4);
  const { protocolVersion, receiveBufferSize, sendBufferSize, maxMessageSize, maxChunkCount } = limits;
  const fields = [
    protocolVersion,
    receiveBufferSize,
    sendBufferSize,
    maxMessageSize,
    maxChunkCount,
    url.length,
  ];
  for (const [index, field] of fields.entries()) message.writeUInt32LE(field, HEADER_BYTES + index * 4);
  url.copy(message, HEADER_BYTES + LIMITS_BYTES + 4);
  return message;
}

/**
 * Reads the Acknowledge message with which a server answers.
 *
 * @returns the limits as the server tells them; undefined when it is none, or one that no server may send
 */
export function decodeAcknowledge(message: Buffer): ConnectionLimits | undefined {
  if (message.toString('latin1', 0, 4) !== 'ACKF' || message.length < HEADER_BYTES + LIMITS_BYTES)
    return undefined;
  const field = (index: number): number => message.readUInt32LE(HEADER_BYTES + index * 4);
  const limits = {
    protocolVersion: field(0),
    receiveBufferSize: field(1),
    sendBufferSize: field(2),
    maxMessageSize: field(3),
    maxChunkCount: field(4),
  };
  const isUsable = Math.min(limits.receiveBufferSize, limits.sendBufferSize) >= SMALLEST_BUFFER_BYTES;
  return isUsable ? limits : undefined;
}

/**
 * Reads the Error message with which a server ends a connection (OPC 10000-6, 7.1.2.5).
 *
 * @returns the StatusCode; undefined when it is no whole Error message
 */
export function decodeError(message: Buffer): number | undefined {
  if (message.toString('latin1', 0, 3) !== 'ERR' || message.length < HEADER_BYTES + 4) return undefined;
  return message.readUInt32LE(HEADER_BYTES);
}
