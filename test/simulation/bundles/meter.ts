import type { Clock } from '../../../daemon/base/clock.ts';
import type { Random } from '../world/random.ts';
import type { KeptFault, PlannedFault, PlantPart } from '../world/truth.ts';
import { MeterPoint } from './meter-point.ts';

/** Kind of driver that the bundle of the meter brings. */
export const METER_DRIVER = 'world-meter';

// A kind of fault beside the names of points, which it refuses.
const SILENCE = 'silence';
const READINGS = 6;
const SETPOINTS = 3;
const MEAN_PAUSE_MS = 4 * 3_600_000;
const MEAN_FAULT_MS = 120_000;
// The pauses between attempts to connect last 2 s at most; a call that waits for a silent meter lasts longer.
const RECOVERY_MS = 15_000;

/** A device that only the driver of a bundle can reach. */
export class Meter implements PlantPart {
  readonly driver = { pid: 'bundle-meter', type: METER_DRIVER, meter: 1 };
  readonly recoveryMs = RECOVERY_MS;
  readonly points: readonly MeterPoint[];
  readonly asset: PlantPart['assets'][number];
  readonly assets: PlantPart['assets'];
  readonly #random: Random;
  readonly #nowMs: () => number;
  #servedSinceMs: number | undefined;
  #answersSinceMs: number | undefined = 0;

  constructor(time: Clock, random: Random) {
    this.#random = random;
    this.#nowMs = () => time.monotonicMs();
    this.points = Array.from(
      { length: READINGS + SETPOINTS },
      (_, number) =>
        new MeterPoint({
          number,
          isWritable: number >= READINGS,
          nowMs: this.#nowMs,
          healthySinceMs: () => this.#healthySinceMs(),
        }),
    );
    this.asset = { pid: 'bundle-asset', points: this.points };
    this.assets = [this.asset];
  }

  /** Whether it answers at all. */
  get isSilent(): boolean {
    return this.#answersSinceMs === undefined;
  }

  /** Notes that a bundle offers its driver from now on, or that none does any more. */
  set isServed(isServed: boolean) {
    this.#servedSinceMs = isServed ? this.#nowMs() : undefined;
  }

  planFaults(endMs: number, kept?: readonly KeptFault[]): readonly PlannedFault[] {
    const faults = kept?.filter(({ id }) => id.startsWith('meter#')) ?? this.#drawFaults(endMs);
    return faults.flatMap(({ id, kind, startMs, endMs: overMs }) => {
      const point = this.points.find(({ channel }) => channel.name === kind);
      if (kind !== SILENCE && point === undefined) return [];
      return [
        {
          id,
          kind,
          startMs,
          endMs: overMs,
          text: point === undefined ? 'the meter does not answer' : `the meter refuses ${kind}`,
          begin: () => (point === undefined ? this.#fallSilent() : this.#refuse(point)),
        },
      ];
    });
  }

  #drawFaults(endMs: number): readonly Omit<KeptFault, 'text'>[] {
    const random = this.#random.branch('faults');
    const faults: Omit<KeptFault, 'text'>[] = [];
    let startMs = random.exponential(MEAN_PAUSE_MS);
    while (startMs < endMs) {
      const overMs = Math.min(endMs, startMs + 1000 + random.exponential(MEAN_FAULT_MS));
      const { channel } = random.pick(this.points);
      const kind = random.chance(0.4) ? SILENCE : channel.name;
      faults.push({ id: `meter#${faults.length + 1}`, kind, startMs, endMs: overMs });
      startMs = overMs + random.exponential(MEAN_PAUSE_MS);
    }
    return faults;
  }

  #healthySinceMs(): number | undefined {
    if (this.#servedSinceMs === undefined || this.#answersSinceMs === undefined) return undefined;
    return Math.max(this.#servedSinceMs, this.#answersSinceMs);
  }

  #fallSilent(): () => void {
    this.#answersSinceMs = undefined;
    return () => {
      this.#answersSinceMs = this.#nowMs();
    };
  }

  #refuse(point: MeterPoint): () => void {
    point.answersSinceMs = undefined;
    return () => {
      point.answersSinceMs = this.#nowMs();
    };
  }
}
