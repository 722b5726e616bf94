import type { CarriedOutWrite, HealthySinceMs, Point, RestValue } from '../world/truth.ts';

// A measured value changes this often; each carries the number of its point, so that none can pass for that of another.
const SLOT_MS = 700;
const POINTS = 1000;

interface MeterPointOptions {
  /** From 0 to 999, unique among all points of a meter. */
  readonly number: number;
  readonly isWritable: boolean;
  readonly nowMs: () => number;
  readonly healthySinceMs: () => HealthySinceMs;
}

/** One value of a meter: what it measures, or what was last written to it. */
export class MeterPoint implements Point {
  readonly channel: Point['channel'];
  readonly writes: CarriedOutWrite[] = [];
  /** There is none where nothing can be written. */
  readonly nextValue?: () => RestValue;
  /** Since when it answers; undefined while it refuses to. */
  answersSinceMs: number | undefined = 0;
  readonly #options: MeterPointOptions;

  constructor(options: MeterPointOptions) {
    const { number, isWritable } = options;
    this.#options = options;
    this.channel = {
      name: `${isWritable ? 'setpoint' : 'reading'}-${number}`,
      type: isWritable ? 'READ_WRITE' : 'READ',
      valueType: 'LONG',
      address: { register: number },
    };
    if (!isWritable) return;
    let made = 0;
    this.nextValue = () => this.#toValue((made += 1));
  }

  get isWritable(): boolean {
    return this.#options.isWritable;
  }

  /** Returns the value now. */
  read(): number {
    const { number, isWritable, nowMs } = this.#options;
    return isWritable ? Number(this.writes.at(-1)?.value ?? number) : this.#toValue(slotAt(nowMs()));
  }

  /** Carries a write out. */
  write(value: number): void {
    this.writes.push({ atMs: this.#options.nowMs(), value });
  }

  had(value: RestValue, fromMs: number, toMs: number): boolean {
    const { number, isWritable } = this.#options;
    if (typeof value !== 'number') return false;
    if (!isWritable) {
      const slot = (value - number) / POINTS;
      return Number.isInteger(slot) && slot >= slotAt(fromMs) && slot <= slotAt(toMs);
    }
    const before = this.writes.findLast(({ atMs }) => atMs <= fromMs)?.value ?? number;
    return (
      value === before || this.writes.some((w) => w.value === value && w.atMs >= fromMs && w.atMs <= toMs)
    );
  }

  describeNow(): string {
    return `${this.channel.name} ${this.read()}`;
  }

  healthySinceMs(): HealthySinceMs {
    const sinceMs = this.#options.healthySinceMs();
    return sinceMs === undefined || this.answersSinceMs === undefined
      ? undefined
      : Math.max(sinceMs, this.answersSinceMs);
  }

  #toValue(slot: number): number {
    return slot * POINTS + this.#options.number;
  }
}

function slotAt(atMs: number): number {
  return Math.floor(atMs / SLOT_MS);
}
