import { createReason, ExplainedError } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';

/** Length of the MBAP header including the unit identifier (MODBUS Messaging on TCP/IP V1.0b, 3.1.3). */
export const HEADER_BYTES = 7;

// 253 bytes of PDU and the unit identifier; a frame has at least a unit identifier and a function code.
const MAXIMUM_LENGTH = 254;
const MINIMUM_LENGTH = 2;
/** Longest frame, header included. */
export const MAXIMUM_FRAME_BYTES = 6 + MAXIMUM_LENGTH;

/** Receives one frame; `pdu` is a view that is valid only during the call. */
export type OnFrame = (transactionId: number, unitId: number, pdu: Buffer) => void;

/** A received frame; `pdu` is a view. */
export interface MbapFrame {
  readonly transactionId: number;
  readonly unitId: number;
  readonly pdu: Buffer;
}

/** The received bytes are not Modbus TCP, and the start of the next frame is unknown. */
export class FramingFault extends ExplainedError {
  /** Bytes from the fault on, as far as they were received; a view that is valid only while the fault is handled. */
  readonly bytes: Buffer | undefined;

  constructor(reason: FaultReason, bytes?: Buffer) {
    super([reason]);
    this.bytes = bytes;
  }
}

/** Returns the length of the frame that begins with a header of Modbus TCP; undefined if there is none. */
export function measureFrame(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(2) !== 0) return undefined;
  const length = bytes.readUInt16BE(4);
  return length < MINIMUM_LENGTH || length > MAXIMUM_LENGTH ? undefined : 6 + length;
}

/** Prepends an MBAP header to a PDU. */
export function encodeFrame(transactionId: number, unitId: number, pdu: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + pdu.length);
  frame.writeUInt16BE(transactionId, 0);
  frame.writeUInt16BE(0, 2);
  frame.writeUInt16BE(pdu.length + 1, 4);
  frame[6] = unitId;
  frame.set(pdu, HEADER_BYTES);
  return frame;
}

/** Parses a datagram; undefined unless it is exactly one Modbus TCP frame. */
export function decodeDatagram(bytes: Buffer): MbapFrame | undefined {
  const isFrame =
    bytes.length >= 6 + MINIMUM_LENGTH &&
    bytes.length <= MAXIMUM_FRAME_BYTES &&
    bytes.readUInt16BE(2) === 0 &&
    bytes.readUInt16BE(4) === bytes.length - 6;
  if (!isFrame) return undefined;
  return { transactionId: bytes.readUInt16BE(0), unitId: bytes[6] ?? 0, pdu: bytes.subarray(HEADER_BYTES) };
}

/** Splits a byte stream into Modbus TCP frames; buffers at most one frame. */
export class FrameReader {
  readonly #onFrame: OnFrame;
  readonly #buffered = Buffer.allocUnsafe(MAXIMUM_FRAME_BYTES);
  #bufferedBytes = 0;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  /**
   * Processes the next bytes of the stream.
   *
   * @throws {FramingFault} on a protocol identifier other than 0 or a length outside 2..254, before the body arrives
   */
  push(chunk: Buffer): void {
    let rest = chunk;
    if (this.#bufferedBytes > 0) rest = this.#completeBuffered(rest);
    while (rest.length > 0) {
      const frameBytes = checkHeader(rest, rest.length);
      if (frameBytes === undefined || rest.length < frameBytes) break;
      this.#emit(rest, frameBytes);
      rest = rest.subarray(frameBytes);
    }
    if (rest.length === 0) return;
    rest.copy(this.#buffered, 0);
    this.#bufferedBytes = rest.length;
  }

  // Completes the buffered frame; returns the remaining bytes, none while it is incomplete.
  #completeBuffered(chunk: Buffer): Buffer {
    let used = 0;
    for (;;) {
      const frameBytes = checkHeader(this.#buffered, this.#bufferedBytes);
      const wantedBytes = (frameBytes ?? HEADER_BYTES) - this.#bufferedBytes;
      const copied = chunk.copy(this.#buffered, this.#bufferedBytes, used, used + wantedBytes);
      this.#bufferedBytes += copied;
      used += copied;
      if (copied < wantedBytes) {
        checkHeader(this.#buffered, this.#bufferedBytes);
        return chunk.subarray(used);
      }
      if (frameBytes === undefined) continue;
      this.#bufferedBytes = 0;
      this.#emit(this.#buffered, frameBytes);
      return chunk.subarray(used);
    }
  }

  #emit(bytes: Buffer, frameBytes: number): void {
    this.#onFrame(bytes.readUInt16BE(0), bytes[6] ?? 0, bytes.subarray(HEADER_BYTES, frameBytes));
  }
}

// Length of the frame at the beginning of `bytes`; undefined while the length field is incomplete.
function checkHeader(bytes: Buffer, available: number): number | undefined {
  if (available < 4) return undefined;
  const protocolId = bytes.readUInt16BE(2);
  if (protocolId !== 0)
    throw new FramingFault(
      createReason(MODBUS_FAILURES, 'PROTOCOL_IDENTIFIER', { identifier: protocolId }),
      bytes.subarray(0, available),
    );
  if (available < 6) return undefined;
  const length = bytes.readUInt16BE(4);
  if (length < MINIMUM_LENGTH || length > MAXIMUM_LENGTH) {
    const reason = createReason(MODBUS_FAILURES, 'LENGTH_FIELD', { length });
    throw new FramingFault(reason, bytes.subarray(0, available));
  }
  return 6 + length;
}
