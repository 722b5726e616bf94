import type { SerialBus, Station } from '../../network/serial-bus.ts';
import type { Random } from '../../world/random.ts';
import { damageAscii, damageRtu } from './damage.ts';
import { distortPdu } from './distort.ts';
import type { Reply, UnitConduct } from './unit-conduct.ts';
import { decodeAscii, encodeAscii, encodeRtu, isRtuFrame } from './wire.ts';

const BROADCAST = 0;
// A station waits for this silence before it answers, and to know that a frame has ended (V1.02, 2.5.1.1).
const SILENT_CHARACTERS = 3.5;

/** How frames look on a line. */
export interface SerialMode {
  readonly encode: (unitId: number, pdu: Buffer) => Buffer;
  /** Returns unit identifier and PDU; undefined when it is no frame. */
  readonly decode: (bytes: Buffer) => Buffer | undefined;
  readonly damage: (bytes: Buffer, random: Random) => Buffer;
  /** See `SerialBusOptions`. */
  readonly silentCharacters: number;
}

/** RTU mode. */
export const rtuMode: SerialMode = {
  encode: encodeRtu,
  decode: (bytes) => (isRtuFrame(bytes) ? bytes.subarray(0, -2) : undefined),
  damage: damageRtu,
  // Less than 1.5 characters do not end a frame, and 3.5 do (V1.02, 2.5.1.1); the clocks of units differ.
  silentCharacters: 2.5,
};

/** ASCII mode, in which characters say where a frame begins and ends. */
export const asciiMode: SerialMode = {
  encode: encodeAscii,
  decode: decodeAscii,
  damage: damageAscii,
  silentCharacters: 0,
};

export interface SerialStationsOptions {
  readonly bus: Pick<SerialBus, 'transmit' | 'characterMs'>;
  readonly random: Random;
  readonly mode: SerialMode;
  readonly units: ReadonlyMap<number, UnitConduct>;
}

/** The units on a serial line. */
export class SerialStations implements Station {
  readonly #options: SerialStationsOptions;

  constructor(options: SerialStationsOptions) {
    this.#options = options;
  }

  onFrame(bytes: Buffer): void {
    const { bus, mode, units } = this.#options;
    const frame = mode.decode(bytes);
    if (frame === undefined) return;
    const unitId = frame[0] ?? 0;
    const pdu = frame.subarray(1);
    if (unitId === BROADCAST) {
      for (const unit of units.values()) unit.answer(pdu);
      return;
    }
    const reply = units.get(unitId)?.answer(pdu);
    if (reply === undefined) return;
    const sent = this.#frame(unitId, reply);
    if (sent !== undefined) bus.transmit(sent, reply.afterMs + SILENT_CHARACTERS * bus.characterMs);
  }

  #frame(unitId: number, { pdu, distortion }: Reply): Buffer | undefined {
    const { mode, random, units } = this.#options;
    // Another unit takes the request for its own: known by its identifier.
    const isForeign = distortion === 'WRONG_UNIT' || distortion === 'FOREIGN';
    const from = isForeign ? ([...units.keys()].find((one) => one !== unitId) ?? unitId ^ 0x80) : unitId;
    const frame = mode.encode(from, distortPdu(pdu, distortion));
    switch (distortion) {
      case 'GARBLED':
        return mode.damage(frame, random);
      case 'CUT':
        return frame.subarray(0, random.integer(1, frame.length - 1));
      case 'DOUBLED':
        return Buffer.concat([frame, frame]);
      // Frames of a serial line have no such number.
      case 'WRONG_TRANSACTION':
      default:
        return frame;
    }
  }
}
