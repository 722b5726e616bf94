import { appendCrc, hasRightCrc } from '../../drivers/modbus/crc.ts';
import type { PlantMemory } from './modbus-server.ts';
import { answerRequest } from './server-pdu.ts';

interface RtuServerOptions {
  readonly memory: PlantMemory;
  /** Units that answer; requests to others get no answer, as on a real line. */
  readonly unitIds: readonly number[];
  /** Sends a frame over the line. */
  readonly send: (frame: Buffer) => void;
}

// Unit identifier, PDU of up to 253 bytes, CRC (MODBUS over Serial Line V1.02, 2.5.1).
const LONGEST_FRAME_BYTES = 256;
const SHORTEST_FRAME_BYTES = 4;

/**
 * Serves the memory of a simulated plant in RTU mode.
 *
 * The length of a request follows from its function code, not from a silent interval, which a pseudo terminal does not
 * preserve. A frame with a wrong CRC is discarded together with the bytes received after it; broadcasts are ignored.
 *
 * @returns processes received bytes, in chunks of any size
 */
export function createRtuServer({ memory, unitIds, send }: RtuServerOptions): (bytes: Buffer) => void {
  let received = Buffer.alloc(0);
  return (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      const length = findRequestLength(received);
      if (length === undefined || received.length < length) break;
      const frame = received.subarray(0, length);
      const isWhole = hasRightCrc(frame);
      received = isWhole ? received.subarray(length) : Buffer.alloc(0);
      if (isWhole) answer(frame);
    }
    if (received.length > LONGEST_FRAME_BYTES) received = Buffer.alloc(0);
  };

  function answer(frame: Buffer): void {
    const unitId = frame[0] ?? 0;
    if (!unitIds.includes(unitId)) return;
    send(appendCrc(unitId, answerRequest(memory, unitId, frame.subarray(1, -2))));
  }
}

/** Returns the length of the frame that begins here, in bytes; undefined while it is not known. */
function findRequestLength(received: Buffer): number | undefined {
  const functionCode = received[1];
  if (functionCode === undefined) return undefined;
  if (functionCode >= 1 && functionCode <= 6) return 8;
  if (functionCode === 15 || functionCode === 16) {
    const byteCount = received[6];
    return byteCount === undefined ? undefined : 9 + byteCount;
  }
  // For other function codes no length is known: bytes with a correct CRC count as one frame.
  return received.length >= SHORTEST_FRAME_BYTES && hasRightCrc(received) ? received.length : undefined;
}
