import type { SendAnswer } from '../../network/udp-host.ts';
import type { Random } from '../../world/random.ts';
import { distortPdu } from './distort.ts';
import type { UnitConduct } from './unit-conduct.ts';

const HEADER_BYTES = 7;

export interface ModbusUdpServerOptions {
  readonly random: Random;
  readonly units: ReadonlyMap<number, UnitConduct>;
}

/** A device, or a gateway to several, that takes Modbus TCP frames in datagrams. */
export class ModbusUdpServer {
  readonly #options: ModbusUdpServerOptions;
  #previous: Buffer | undefined;

  constructor(options: ModbusUdpServerOptions) {
    this.#options = options;
  }

  /** Serves a datagram. */
  serve(request: Buffer, answer: SendAnswer): void {
    if (request.length < HEADER_BYTES + 1 || request.readUInt16BE(4) !== request.length - 6) return;
    const { units, random } = this.#options;
    const reply = units.get(request[6] ?? 0)?.answer(request.subarray(HEADER_BYTES));
    if (reply === undefined) return;
    const { afterMs, distortion } = reply;
    const pdu = distortPdu(reply.pdu, distortion);
    const frame = Buffer.concat([request.subarray(0, HEADER_BYTES), pdu]);
    frame.writeUInt16BE(pdu.length + 1, 4);
    if (distortion === 'WRONG_TRANSACTION') frame[0] = (frame[0] ?? 0) ^ 0x40;
    if (distortion === 'WRONG_UNIT') frame[6] = (frame[6] ?? 0) ^ 0x80;
    if (distortion === 'GARBLED') frame[2] = random.integer(1, 255);
    if (distortion === 'FOREIGN') {
      if (this.#previous !== undefined) answer(this.#previous, afterMs);
      return;
    }
    answer(distortion === 'CUT' ? frame.subarray(0, random.integer(1, frame.length - 1)) : frame, afterMs);
    if (distortion === 'DOUBLED') answer(frame, afterMs);
    this.#previous = frame;
  }
}
