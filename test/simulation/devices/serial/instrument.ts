import type { Clock } from '../../../../daemon/base/clock.ts';
import type { SerialBus, Station } from '../../network/serial-bus.ts';
import type { Random } from '../../world/random.ts';
import type { Tempo } from '../../world/tempo.ts';
import type { CarriedOutWrite, HealthySinceMs, RestValue } from '../../world/truth.ts';
import { Health } from '../health.ts';
import type { LineLoad } from '../line-load.ts';
import type { MovingTrack } from '../value-track.ts';
import { HeldTrack } from '../value-track.ts';
import type { InstrumentProtocol, InstrumentValue } from './instrument-protocol.ts';

/** What can be wrong with an instrument, as long as it lasts. */
export type InstrumentCondition =
  /** It says nothing, and does nothing. */
  | 'SILENT'
  /** It answers after the gateway gave up, and before it may take the answer for that of the next request. */
  | 'LATE'
  /** The end of its answers is missing. */
  | 'CUT'
  /** Its answers are disturbed. */
  | 'GARBLED'
  /** It answers what was not asked for. */
  | 'FOREIGN'
  /** It does what it is told, and confirms nothing. */
  | 'UNCONFIRMED'
  /** It refuses everything. */
  | 'REFUSING'
  /** It sends meaningless bytes before its answers. */
  | 'GARBAGE';

/** A value with its truth. */
export interface HeldValue {
  readonly value: InstrumentValue;
  readonly track: HeldTrack | MovingTrack;
  readonly writes: CarriedOutWrite[];
  /** Returns a value that it never had. */
  readonly next: () => RestValue;
}

export interface InstrumentOptions {
  readonly bus: SerialBus;
  readonly time: Clock;
  readonly random: Random;
  readonly protocol: InstrumentProtocol;
  readonly values: readonly HeldValue[];
  readonly responseTimeoutMs: number;
  /** Gets to know what it is asked. */
  readonly load: LineLoad;
  /** It sends back what it is sent before it answers. */
  readonly hasEcho: boolean;
  readonly tempo: Tempo;
}

const ONLY_UNIT = 0;
const PROCESSING_MS = { least: 1, most: 40 };
// As docs/reference/serial.md says: an answer may take less than twice the time-out.
const LATEST = 1.9;
// Several come while a reader waits for one.
const REPORTS_PER_TIMEOUT = 5;
// In calm times they are not needed: each costs as much as a request.
const CALM_REPORTS_MS = 120_000;

/** An instrument at the end of a serial line: answers what it is asked, and may report by itself. */
export class Instrument implements Station {
  readonly health: Health;
  readonly #options: InstrumentOptions;
  readonly #conditions = new Map<InstrumentCondition, number>();
  #freeMs = 0;

  constructor(options: InstrumentOptions) {
    this.#options = options;
    this.health = new Health(options.time);
    options.bus.attach(this);
    for (const held of options.values) if (held.value.code === 'E') this.#report(held);
  }

  /** Begins a condition; returns what ends it. */
  begin(condition: InstrumentCondition): () => void {
    this.#conditions.set(condition, (this.#conditions.get(condition) ?? 0) + 1);
    return () => this.#conditions.set(condition, (this.#conditions.get(condition) ?? 0) - 1);
  }

  /** When it was asked for a value last, or told one; undefined: never. */
  get askedMs(): number | undefined {
    return this.#options.load.newestMs;
  }

  onFrame(bytes: Buffer): void {
    const { protocol, hasEcho } = this.#options;
    if (this.#has('SILENT')) return;
    if (hasEcho) this.#send(bytes, 0);
    const request = protocol.parse(bytes);
    if (request === undefined) return;
    // A value that is awaited meanwhile, and that nobody asks for, keeps the line as long as an answer may.
    this.#options.load.note(ONLY_UNIT, 'ANSWERED', this.#options.responseTimeoutMs);
    if (this.#has('REFUSING')) return this.#answer(protocol.refuse());
    const code = request.type === 'WRITE' ? 'S' : request.code;
    const held = this.#find(code, request.index);
    if (held === undefined) return this.#answer(protocol.refuse());
    if (request.type === 'READ') this.#read(held);
    else this.#write(held, request.text);
  }

  /** Starts anew, with other values. */
  restart(): void {
    const { time, random, values } = this.#options;
    for (const { track, next } of values) {
      if (track instanceof HeldTrack) track.set(time.monotonicMs(), next());
      else track.jump(time.monotonicMs(), random.integer(2000, 4000));
    }
  }

  /** Sends bytes that mean nothing. */
  chatter(): void {
    this.#send(this.#garbage(), 0);
  }

  #read({ value, track }: HeldValue): void {
    const { protocol, time } = this.#options;
    const other = this.#has('FOREIGN') ? this.#findOther(value) : undefined;
    const { code, index } = other?.value ?? value;
    this.#answer(protocol.answer(code, index, (other?.track ?? track).at(time.monotonicMs())));
  }

  #write({ value, track, writes }: HeldValue, text: string): void {
    const { protocol, time } = this.#options;
    const written: RestValue = value.kind.valueType === 'STRING' ? text : Number(text);
    if (!(track instanceof HeldTrack)) return;
    const atMs = time.monotonicMs();
    track.set(atMs, written);
    writes.push({ atMs, value: written });
    if (!this.#has('UNCONFIRMED')) this.#answer(protocol.confirm(value.index));
  }

  #answer(bytes: Buffer): void {
    const { random, protocol, responseTimeoutMs } = this.#options;
    const { least, most } = PROCESSING_MS;
    const usualMs = least + (most - least) * random.fraction();
    const lateMs = this.#has('LATE')
      ? responseTimeoutMs * (LATEST - 0.5) * random.fraction() + responseTimeoutMs / 2
      : 0;
    if (this.#has('GARBAGE')) this.#send(this.#garbage(), 0);
    const cut = this.#has('CUT') ? bytes.subarray(0, random.integer(1, bytes.length - 1)) : bytes;
    this.#send(this.#has('GARBLED') ? protocol.damage(cut, random) : cut, usualMs + lateMs);
  }

  // One after the other, as there is one wire.
  #send(bytes: Buffer, afterMs: number): void {
    const { bus, time } = this.#options;
    const nowMs = time.monotonicMs();
    const startMs = Math.max(this.#freeMs, nowMs + afterMs);
    this.#freeMs = startMs + bytes.length * bus.characterMs;
    bus.transmit(bytes, startMs - nowMs);
  }

  /** Since when a reader of a value that is reported gets it in time; undefined when it may not. */
  get reportsSinceMs(): HealthySinceMs {
    const { tempo, time } = this.#options;
    const sinceMs = tempo.livelySinceMs(time.monotonicMs());
    if (sinceMs === undefined || sinceMs === 0) return sinceMs;
    return sinceMs + CALM_REPORTS_MS;
  }

  get #reportPauseMs(): number {
    const { tempo, time, responseTimeoutMs } = this.#options;
    return tempo.isLively(time.monotonicMs()) ? responseTimeoutMs / REPORTS_PER_TIMEOUT : CALM_REPORTS_MS;
  }

  #report(held: HeldValue, afterMs = this.#reportPauseMs): void {
    const { time, protocol } = this.#options;
    const { value, track, next } = held;
    time.schedule(afterMs, () => {
      const nowMs = time.monotonicMs();
      // What it reports is what it has when it begins to send.
      if (this.#freeMs > nowMs) return this.#report(held, this.#freeMs - nowMs);
      if (!this.#has('SILENT') && !this.#has('REFUSING') && track instanceof HeldTrack) {
        const reported = next();
        track.set(nowMs, reported);
        this.#send(protocol.answer(value.code, value.index, reported), 0);
      }
      this.#report(held);
    });
  }

  #garbage(): Buffer {
    const { random } = this.#options;
    return random.bytes(random.integer(1, 12)).map((byte) => byte | 0xf0) as Buffer;
  }

  #find(code: string, index: number): HeldValue | undefined {
    return this.#options.values.find(({ value }) => value.code === code && value.index === index);
  }

  #findOther({ code, index }: InstrumentValue): HeldValue | undefined {
    return this.#options.values.find(({ value }) => value.code === code && value.index !== index);
  }

  #has(condition: InstrumentCondition): boolean {
    return (this.#conditions.get(condition) ?? 0) > 0;
  }
}
