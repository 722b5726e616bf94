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

// A buffer is never smaller (OPC 10000-6, 7.1.2.3).
const SMALLEST_BUFFER_BYTES = 8192;
const HEADER_BYTES = 8;
const LIMITS_BYTES = 20;

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
