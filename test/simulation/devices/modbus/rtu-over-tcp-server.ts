import type { Clock } from '../../../../daemon/base/clock.ts';
import type { DeviceEnd, DeviceEvents } from '../../network/tcp-connection.ts';
import type { Random } from '../../world/random.ts';
import { damageRtu } from './damage.ts';
import { distortPdu } from './distort.ts';
import type { UnitConduct } from './unit-conduct.ts';
import { countRequestBytes, encodeRtu, isRtuFrame } from './wire.ts';

const OVERHEAD_BYTES = 3;

export interface RtuOverTcpServerOptions {
  readonly time: Pick<Clock, 'schedule'>;
  readonly random: Random;
  readonly units: ReadonlyMap<number, UnitConduct>;
}

/** A device server that hands the bytes of a connection to a serial line, and back. */
export class RtuOverTcpServer {
  readonly #options: RtuOverTcpServerOptions;

  constructor(options: RtuOverTcpServerOptions) {
    this.#options = options;
  }

  /** Serves a connection. */
  accept(end: DeviceEnd): DeviceEvents {
    let received: Buffer = Buffer.alloc(0);
    return {
      onBytes: (bytes) => {
        received = Buffer.concat([received, bytes]);
        for (;;) {
          const pduBytes = countRequestBytes(received.subarray(1));
          if (pduBytes === undefined || received.length < pduBytes + OVERHEAD_BYTES) return;
          const frame = received.subarray(0, pduBytes + OVERHEAD_BYTES);
          // The line behind it knows a frame by the silence around it; here one that is none ends with all that came.
          const isFrame = isRtuFrame(frame);
          received = isFrame ? received.subarray(frame.length) : Buffer.alloc(0);
          if (isFrame) this.#answer(end, frame);
        }
      },
      onEnd: () => undefined,
    };
  }

  #answer(end: DeviceEnd, frame: Buffer): void {
    const { time, random, units } = this.#options;
    const unitId = frame[0] ?? 0;
    const reply = units.get(unitId)?.answer(frame.subarray(1, -2));
    if (reply === undefined) return;
    const { pdu, afterMs, distortion } = reply;
    const isForeign = distortion === 'WRONG_UNIT' || distortion === 'FOREIGN';
    const from = isForeign ? ([...units.keys()].find((one) => one !== unitId) ?? unitId ^ 0x80) : unitId;
    const whole = encodeRtu(from, distortPdu(pdu, distortion));
    const isDamaged = distortion === 'GARBLED' || distortion === 'CUT';
    const sent = isDamaged ? damageRtu(whole, random) : whole;
    // In the order in which the line behind it brings them.
    time.schedule(afterMs, () => end.send(sent));
  }
}
