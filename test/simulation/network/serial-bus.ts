import type { Clock } from '../../../daemon/base/clock.ts';
import type { LineSettings } from '../../../drivers/link/serial-link.ts';
import type { Random } from '../world/random.ts';

// What an adapter hands over at once, in milliseconds of the line.
const ADAPTER_MS = 16;
const PUNCTUALITY_MS = 0.001;

/** A device on the line. */
export interface Station {
  /** Everything that the gateway, or another master, sent between two silences. */
  onFrame(bytes: Buffer): void;
}

/** The gateway's adapter. */
export interface Adapter {
  onChunk(bytes: Buffer): void;
  onHangUp(): void;
}

export interface SerialBusOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
  /** How the stations send and listen. */
  readonly settings: LineSettings;
  /** Returns what a listener gets of bytes that were disturbed; it must not be able to take them for sound ones. */
  readonly damage: (bytes: Buffer, random: Random) => Buffer;
  /** Silence, in characters, without which a frame is a part of the one before to the stations. */
  readonly silentCharacters: number;
  /** How often what a station sends arrives in several pieces, from 0 to 1. */
  readonly cutProbability?: number;
  /** The adapter hands back what it sends. */
  readonly hasEcho?: boolean;
  /** Each direction has a wire of its own, and the end of a frame is no silence: an instrument on RS-232. */
  readonly isDuplex?: boolean;
}

interface Transmission {
  readonly isFromGateway: boolean;
  readonly startMs: number;
  readonly endMs: number;
  isDamaged: boolean;
}

/** Who has the line open, as the system sees it. */
export type LineState = 'FREE' | 'OPEN' | 'OTHER_PROGRAM' | 'UNPLUGGED';

/**
 * A line of two wires: whoever sends is heard by all others, and nobody is understood while two send.
 *
 * A frame is one event, at the end of its last character; only the pieces of those that arrive cut are events of their own.
 */
export class SerialBus {
  readonly #options: SerialBusOptions;
  /** Milliseconds that a character takes at the speed of the stations. */
  readonly characterMs: number;
  readonly #stations: Station[] = [];
  #adapter: Adapter | undefined;
  #isPlugged = true;
  #isTaken = false;
  /** Whether the adapter speaks as the stations do. */
  #isUnderstood = true;
  /** Whether the stations were set to another speed. */
  #isDetuned = false;
  #adapterCharacterMs: number;
  #transmissions: Transmission[] = [];
  #adapterFreeMs = 0;
  /** The newest character on the line. */
  #newestMs = Number.NEGATIVE_INFINITY;

  constructor(options: SerialBusOptions) {
    this.#options = options;
    this.characterMs = characterMsOf(options.settings);
    this.#adapterCharacterMs = this.characterMs;
  }

  get state(): LineState {
    if (!this.#isPlugged) return 'UNPLUGGED';
    if (this.#isTaken) return 'OTHER_PROGRAM';
    return this.#adapter === undefined ? 'FREE' : 'OPEN';
  }

  attach(station: Station): void {
    this.#stations.push(station);
  }

  /** Gives the line to the gateway; only when it is free. */
  open(adapter: Adapter, settings: LineSettings): void {
    this.#adapter = adapter;
    this.#adapterCharacterMs = characterMsOf(settings);
    this.#isUnderstood = isSameForm(settings, this.#options.settings);
  }

  close(adapter: Adapter): void {
    if (this.#adapter === adapter) this.#adapter = undefined;
  }

  /** Another program opens the line, or gives it back. */
  setTaken(isTaken: boolean): void {
    this.#isTaken = isTaken;
  }

  /** The stations are set to another speed than the adapter, or back. */
  setDetuned(isDetuned: boolean): void {
    this.#isDetuned = isDetuned;
  }

  /** The adapter is pulled out of its socket, or plugged in again. */
  setPlugged(isPlugged: boolean): void {
    if (this.#isPlugged === isPlugged) return;
    this.#isPlugged = isPlugged;
    const adapter = this.#adapter;
    this.#adapter = undefined;
    if (!isPlugged) adapter?.onHangUp();
  }

  /** The gateway sends; what it sends while it sends follows. */
  sendFromGateway(adapter: Adapter, bytes: Buffer): void {
    if (this.#adapter !== adapter) return;
    const { time, random, damage, silentCharacters, hasEcho = false, isDuplex = false } = this.#options;
    const nowMs = time.monotonicMs();
    const startMs = Math.max(nowMs, this.#adapterFreeMs);
    const isNewFrame =
      isDuplex || startMs - this.#newestMs > silentCharacters * this.characterMs - PUNCTUALITY_MS;
    const transmission = this.#occupy(startMs, bytes.length * this.#adapterCharacterMs, true);
    this.#adapterFreeMs = transmission.endMs;
    time.schedule(transmission.endMs - nowMs, () => {
      // What follows another frame without a silence is a part of that to the stations, and its check sum is wrong.
      const isDamaged = transmission.isDamaged || !this.#speaksAlike || !isNewFrame;
      const heard = isDamaged ? damage(bytes, random) : bytes;
      if (hasEcho && this.#adapter === adapter) adapter.onChunk(Buffer.from(heard));
      for (const station of this.#stations) station.onFrame(heard);
    });
  }

  /**
   * A station sends, `afterMs` from now.
   *
   * @param isForAll the other stations take it for a request
   */
  transmit(bytes: Buffer, afterMs: number, isForAll = false): void {
    const { time, random, damage, cutProbability = 0 } = this.#options;
    const nowMs = time.monotonicMs();
    const transmission = this.#occupy(nowMs + afterMs, bytes.length * this.characterMs);
    if (!isForAll && cutProbability > 0 && random.chance(cutProbability)) {
      return this.#transmitInPieces(bytes, transmission);
    }
    time.schedule(transmission.endMs - nowMs, () => {
      const heard = transmission.isDamaged ? damage(bytes, random) : bytes;
      if (isForAll) for (const station of this.#stations) station.onFrame(heard);
      this.#handOver(heard);
    });
  }

  /** Something disturbs the line for this long from now on. */
  disturb(durationMs: number): void {
    this.#occupy(this.#options.time.monotonicMs(), durationMs).isDamaged = true;
  }

  #transmitInPieces(bytes: Buffer, transmission: Transmission): void {
    const { time, random, damage } = this.#options;
    const nowMs = time.monotonicMs();
    const pieceBytes = Math.max(1, Math.floor(ADAPTER_MS / this.characterMs));
    // An adapter hands over what it has at moments of its own.
    let end = random.integer(1, pieceBytes);
    let begin = 0;
    let hasDamage = false;
    while (begin < bytes.length) {
      const piece = bytes.subarray(begin, end);
      const arrivesMs = transmission.startMs + Math.min(end, bytes.length) * this.characterMs;
      time.schedule(arrivesMs - nowMs, () => {
        // One place only: a check sum finds that for certain.
        const isDamaged = transmission.isDamaged && !hasDamage;
        hasDamage ||= isDamaged;
        this.#handOver(isDamaged ? damage(piece, random) : piece);
      });
      begin = end;
      end += pieceBytes;
    }
  }

  #handOver(bytes: Buffer): void {
    if (bytes.length === 0) return;
    // At another speed each character looks like another, and there are more or fewer of them.
    const heard = this.#speaksAlike ? Buffer.from(bytes) : this.#options.random.bytes(bytes.length + 1);
    this.#adapter?.onChunk(heard);
  }

  get #speaksAlike(): boolean {
    return this.#isUnderstood && !this.#isDetuned;
  }

  #occupy(startMs: number, durationMs: number, isFromGateway = false): Transmission {
    const { time, isDuplex = false } = this.#options;
    const nowMs = time.monotonicMs();
    const added: Transmission = { startMs, endMs: startMs + durationMs, isFromGateway, isDamaged: false };
    if (this.#transmissions.length > 0) {
      this.#transmissions = this.#transmissions.filter(({ endMs }) => endMs > nowMs - PUNCTUALITY_MS);
      for (const other of this.#transmissions) {
        if (isDuplex && other.isFromGateway !== isFromGateway) continue;
        if (other.endMs - PUNCTUALITY_MS <= startMs || added.endMs <= other.startMs + PUNCTUALITY_MS)
          continue;
        other.isDamaged = true;
        added.isDamaged = true;
      }
    }
    this.#transmissions.push(added);
    this.#newestMs = Math.max(this.#newestMs, added.endMs);
    return added;
  }
}

function characterMsOf({ baudRate, dataBits, stopBits, parity }: LineSettings): number {
  return ((1 + dataBits + (parity === 'none' ? 0 : 1) + stopBits) * 1000) / baudRate;
}

// A second stop bit is a pause to a listener that expects one.
function isSameForm(a: LineSettings, b: LineSettings): boolean {
  return a.baudRate === b.baudRate && a.dataBits === b.dataBits && a.parity === b.parity;
}
