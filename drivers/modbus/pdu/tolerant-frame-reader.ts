import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import { FramingFault, MAXIMUM_FRAME_BYTES, measureFrame, HEADER_BYTES } from './mbap.ts';
import type { OnFrame } from './mbap.ts';

/** True if a response with this transaction and unit identifier may arrive. */
export type IsExpected = (transactionId: number, unitId: number) => boolean;

export interface TolerantFrameReaderOptions {
  readonly onFrame: OnFrame;
  readonly isExpected: IsExpected;
  /** Maximum bytes between two frames. */
  readonly maximumStrayBytes: number;
  /** Packet that is skipped between frames and does not count. */
  readonly heartbeat?: Buffer | undefined;
}

/**
 * Splits a byte stream into Modbus TCP frames and skips other bytes between them.
 *
 * A frame begins only with the header of an expected response: zeros that a device appends would otherwise be taken for
 * a header, and the next frame for its content.
 */
export class TolerantFrameReader {
  readonly #options: TolerantFrameReaderOptions;
  #buffered = Buffer.alloc(0);
  #strayBytes = 0;

  constructor(options: TolerantFrameReaderOptions) {
    this.#options = options;
  }

  /**
   * Processes the next bytes of the stream.
   *
   * @throws {FramingFault} if more bytes than allowed are between two frames
   */
  push(chunk: Buffer): void {
    const { onFrame, isExpected, maximumStrayBytes, heartbeat } = this.#options;
    let rest = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    this.#buffered = Buffer.alloc(0);
    while (rest.length >= HEADER_BYTES) {
      const frameBytes = measureExpected(rest, isExpected);
      if (frameBytes === undefined && heartbeat?.equals(rest.subarray(0, heartbeat.length)) === true) {
        rest = rest.subarray(heartbeat.length);
      } else if (frameBytes === undefined) {
        this.#strayBytes += 1;
        if (this.#strayBytes > maximumStrayBytes) throw new FramingFault(explainStray(maximumStrayBytes));
        rest = rest.subarray(1);
      } else if (rest.length < frameBytes) {
        break;
      } else {
        this.#strayBytes = 0;
        onFrame(rest.readUInt16BE(0), rest[6] ?? 0, rest.subarray(HEADER_BYTES, frameBytes));
        rest = rest.subarray(frameBytes);
      }
    }
    this.#buffered = Buffer.from(rest);
  }
}

/** Counts the bytes before the first header of an expected response; undefined if there is none, or it is first. */
export function countStrayBytes(bytes: Buffer, isExpected: IsExpected): number | undefined {
  const last = Math.min(bytes.length - HEADER_BYTES, MAXIMUM_FRAME_BYTES);
  for (let start = 1; start <= last; start += 1) {
    if (measureExpected(bytes.subarray(start), isExpected) !== undefined) return start;
  }
  return undefined;
}

function measureExpected(bytes: Buffer, isExpected: IsExpected): number | undefined {
  return isExpected(bytes.readUInt16BE(0), bytes[6] ?? 0) ? measureFrame(bytes) : undefined;
}

function explainStray(bound: number): FaultReason {
  return createReason(MODBUS_FAILURES, 'STRAY_BYTES', { bound });
}
