import type { Clock } from '../../../../daemon/base/clock.ts';
import { HISTORY_MS } from '../../world/truth.ts';
import type { CarriedOutWrite, HealthySinceMs, Point, RestValue } from '../../world/truth.ts';
import { combineHealth } from '../health.ts';
import type { Health } from '../health.ts';
import { ARRAY_BITS, FORMS, TEXT_BYTES } from './value-form.ts';
import type { FormName, Raw } from './value-form.ts';

/** The tables of a device, by the function code that reads each. */
export type Table = 'COILS' | 'DISCRETE_INPUTS' | 'HOLDING_REGISTERS' | 'INPUT_REGISTERS';

export interface ModbusPointOptions {
  readonly time: Pick<Clock, 'monotonicMs'>;
  readonly name: string;
  readonly unitId: number;
  /** 13 bits that no other point of the world has. */
  readonly identity: number;
  readonly table: Table;
  readonly offset: number;
  readonly form: FormName;
  readonly type: 'READ' | 'WRITE' | 'READ_WRITE';
  readonly isLowWordFirst?: boolean;
  /** Which bit of its register a truth is. */
  readonly bit?: number;
  /** Factor from what the device holds to the value of the channel. */
  readonly scale?: number;
  /** Summand after scaling. */
  readonly summand?: number;
  /** Milliseconds in which a value that is written has to show when it is read back; it is not read back without. */
  readonly verifiedWithinMs?: number;
  /** How long the device has each value, unless it changes by writes alone. */
  readonly periodMs: number;
  readonly phaseMs: number;
  /** Its own, and those of all that lies on the way to it. */
  readonly health: readonly Health[];
}

interface Moment {
  readonly atMs: number;
  readonly bytes: Buffer;
}

// Steps of values that no write and no period ever has.
const REBOOT_STEPS = 70_000;

/** A value of a unit, with everything that it was. */
export class ModbusPoint implements Point {
  readonly channel: Point['channel'];
  readonly writes: CarriedOutWrite[] = [];
  readonly nextValue?: () => RestValue;
  /** Entries of the table that it takes. */
  readonly entries: number;
  readonly table: Table;
  readonly offset: number;
  readonly unitId: number;
  readonly #options: ModbusPointOptions;
  /** What it was set to; of a point that changes by itself, when its device started. */
  #history: Moment[] = [];
  #reboots = 0;
  #nextStep = 0;
  #step = Number.NaN;
  #bytes: Buffer;

  constructor(options: ModbusPointOptions) {
    this.#options = options;
    const { form, table, offset, type } = options;
    this.table = table;
    this.offset = offset;
    this.unitId = options.unitId;
    this.entries = FORMS[form].entries;
    this.#bytes = Buffer.alloc(2 * this.entries);
    this.channel = toChannel(options);
    if (type === 'READ') return;
    this.nextValue = () => {
      this.#nextStep += 1;
      if (form === 'BIT') return this.#restOf(this.#bytesAt(this.#nowMs())) !== true;
      return this.#toRest(this.#make(this.#nextStep));
    };
    this.#history.push({ atMs: 0, bytes: this.#encode(this.#make(0)) });
  }

  /** Writes the registers that it has now; valid until the next call. */
  readRegisters(): Buffer {
    return this.#bytesAt(this.#nowMs());
  }

  /** Whether one of its entries in a table of bits is on now. */
  readBit(index: number): boolean {
    return this.#bytesAt(this.#nowMs())[2 * index + 1] === 1;
  }

  /**
   * A write reached the device.
   *
   * @param at first of the registers that are written, counted from that of the point
   */
  write(registers: Buffer, at = 0): void {
    const atMs = this.#nowMs();
    const before = this.#bytesAt(atMs);
    // Memory of its own: what is kept for hours must not keep the memory that it shares with others.
    const bytes = Buffer.alloc(before.length);
    before.copy(bytes);
    registers.copy(bytes, 2 * at);
    this.#set({ atMs, bytes });
    this.writes.push({ atMs, value: this.#restOf(bytes) });
  }

  /** The device starts anew, with other values. */
  reboot(): void {
    this.#reboots += 1;
    if (this.nextValue !== undefined) {
      this.#set({ atMs: this.#nowMs(), bytes: this.#encode(this.#make(REBOOT_STEPS + this.#reboots)) });
    } else {
      this.#set({ atMs: this.#nowMs(), bytes: Buffer.alloc(0) });
    }
    this.#step = Number.NaN;
  }

  had(value: RestValue, fromMs: number, toMs: number): boolean {
    const { form, periodMs, phaseMs } = this.#options;
    const isSame = (bytes: Buffer): boolean => {
      const had = this.#restOf(bytes);
      // A 32-bit float is given with as few digits as tell it apart.
      if (form === 'FLOAT32') return Math.fround(Number(value)) === Math.fround(Number(had));
      if (typeof had !== 'number' || typeof value !== 'number') return had === value;
      const { summand = 0 } = this.#options;
      // What a summand takes away of a number, its last digits do not come back from.
      return Math.abs(had - value) <= (Math.abs(had) + Math.abs(summand)) * 1e-12;
    };
    if (this.nextValue !== undefined) {
      return this.#history.some(({ atMs, bytes }, index) => {
        const endMs = this.#history[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
        return atMs <= toMs && endMs >= fromMs && isSame(bytes);
      });
    }
    const changes = [fromMs, ...this.#history.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs)];
    // The newest first, as it is mostly the one.
    for (const [index, beginMs] of [...changes.entries()].toReversed()) {
      if (beginMs > toMs) continue;
      const endMs = Math.min(toMs, changes[index + 1] ?? toMs);
      const firstStep = Math.floor((beginMs + phaseMs) / periodMs);
      const lastStep = Math.floor((endMs + phaseMs) / periodMs);
      for (let step = lastStep; step >= firstStep; step -= 1) {
        if (isSame(this.#encode(this.#make(this.#shift(step, beginMs))))) return true;
      }
    }
    return false;
  }

  describeNow(): string {
    return String(this.#restOf(this.#bytesAt(this.#nowMs())));
  }

  healthySinceMs(): HealthySinceMs {
    return combineHealth(this.#options.health);
  }

  #nowMs(): number {
    return this.#options.time.monotonicMs();
  }

  #set(moment: Moment): void {
    this.#history.push(moment);
    if (this.#history.length < 64) return;
    const oldestMs = moment.atMs - HISTORY_MS;
    const first = this.#history.findLastIndex(({ atMs }) => atMs < oldestMs);
    if (first > 0) this.#history = this.#history.slice(first);
  }

  // A device that started anew counts from elsewhere.
  #shift(step: number, atMs: number): number {
    const since = this.#history.length;
    if (since === 0) return step;
    const reboots = this.#reboots - this.#history.filter((moment) => moment.atMs > atMs).length;
    return step + 11_003 * reboots;
  }

  #bytesAt(nowMs: number): Buffer {
    if (this.nextValue !== undefined) return this.#history.at(-1)?.bytes ?? this.#bytes;
    const { periodMs, phaseMs } = this.#options;
    const step = Math.floor((nowMs + phaseMs) / periodMs);
    if (step !== this.#step) {
      this.#step = step;
      this.#bytes = this.#encode(this.#make(this.#shift(step, nowMs)));
    }
    return this.#bytes;
  }

  #make(step: number): Raw {
    const { form, identity } = this.#options;
    return FORMS[form].make({ identity, step });
  }

  #encode(raw: Raw): Buffer {
    const { form, isLowWordFirst = false, bit } = this.#options;
    const bytes = Buffer.alloc(2 * this.entries);
    FORMS[form].write(raw, bytes);
    if (bit !== undefined) bytes.writeUInt16BE(bytes.readUInt16BE() << bit);
    return isLowWordFirst ? swapWords(bytes) : bytes;
  }

  #restOf(bytes: Buffer): RestValue {
    const { form, isLowWordFirst = false, bit } = this.#options;
    if (bit !== undefined) return (bytes.readUInt16BE() >> bit) % 2 === 1;
    return this.#toRest(FORMS[form].read(isLowWordFirst ? swapWords(bytes) : bytes));
  }

  #toRest(raw: Raw): RestValue {
    const { scale = 1, summand = 0 } = this.#options;
    return typeof raw === 'number' ? raw * scale + summand : raw;
  }
}

const VALUE_TYPES: Readonly<Record<FormName, string>> = {
  BIT: 'BOOLEAN',
  BITS: 'STRING',
  INT16: 'INTEGER',
  UINT16: 'INTEGER',
  INT32: 'INTEGER',
  UINT32: 'LONG',
  INT64: 'LONG',
  FLOAT32: 'FLOAT',
  STRING: 'STRING',
};

function toChannel(options: ModbusPointOptions): Point['channel'] {
  const { name, type, unitId, table, offset, form, isLowWordFirst = false, bit, scale, summand } = options;
  const { verifiedWithinMs: withinMs } = options;
  return {
    name,
    type,
    valueType: scale === undefined ? VALUE_TYPES[form] : 'DOUBLE',
    ...(scale === undefined ? {} : { valueScale: scale }),
    ...(summand === undefined ? {} : { valueOffset: summand }),
    ...(withinMs === undefined ? {} : { write: { verify: { withinMs } } }),
    address: {
      unitId,
      table,
      offset,
      dataType: form === 'BIT' || form === 'BITS' ? 'BOOLEAN' : form,
      ...(form === 'BITS' ? { count: ARRAY_BITS } : {}),
      ...(bit === undefined ? {} : { bit }),
      ...(form === 'STRING' ? { length: TEXT_BYTES } : {}),
      ...(isLowWordFirst ? { wordOrder: 'LITTLE_ENDIAN' } : {}),
    },
  };
}

function swapWords(bytes: Buffer): Buffer {
  const swapped = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 2) bytes.copy(swapped, bytes.length - at - 2, at, at + 2);
  return swapped;
}
