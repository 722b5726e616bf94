/** Limits of a connection as reported by one side (OPC 10000-6, 7.1.2.3 and 7.1.2.4), in bytes and chunks. */
export interface ConnectionLimits {
  readonly protocolVersion: number;
  readonly receiveBufferSize: number;
  readonly sendBufferSize: number;
  /** 0: unlimited. */
  readonly maxMessageSize: number;
  /** 0: unlimited. */
  readonly maxChunkCount: number;
}

/** The first eight bytes of every message chunk: type, chunk type, and length with the header (OPC 10000-6, 6.7.2.2). */
const HEADER_BYTES = 8;
const MESSAGE_TYPES: ReadonlySet<string> = new Set(['ACK', 'ERR', 'OPN', 'MSG', 'CLO']);
const CHUNK_TYPES: ReadonlySet<string> = new Set(['F', 'C', 'A']);
// Minimum buffer size (OPC 10000-6, 7.1.2.3).
const MINIMUM_BUFFER_BYTES = 8192;
const LIMITS_BYTES = 20;

/** Limits for the messages of a server. */
export interface ChunkLimits {
  readonly maximumChunkBytes: number;
  /** Sum of all chunks of one message. */
  readonly maximumMessageBytes: number;
}

/** The received bytes violate the protocol or a limit; the connection is unusable. */
export class ChunkFault extends Error {}

/** Splits the bytes of a server into message chunks; buffers at most one incomplete chunk. */
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
   * Processes bytes and yields the chunks that they complete, including headers.
   *
   * @throws {ChunkFault} as soon as a header is invalid, before its body arrives
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

  // The header is checked for each part from a slow sender; only the needed parts are joined.
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

/** Encodes the Hello message that opens a connection. */
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
 * Decodes the Acknowledge message of a server.
 *
 * @returns the limits of the server; undefined if it is not a valid Acknowledge message
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
  const isUsable = Math.min(limits.receiveBufferSize, limits.sendBufferSize) >= MINIMUM_BUFFER_BYTES;
  return isUsable ? limits : undefined;
}

/**
 * Decodes the Error message by which a server closes a connection (OPC 10000-6, 7.1.2.5).
 *
 * @returns the StatusCode; undefined if it is not a complete Error message
 */
export function decodeError(message: Buffer): number | undefined {
  if (message.toString('latin1', 0, 3) !== 'ERR' || message.length < HEADER_BYTES + 4) return undefined;
  return message.readUInt32LE(HEADER_BYTES);
}
