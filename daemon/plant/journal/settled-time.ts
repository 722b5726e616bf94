// Further off, the wall clock was set.
const STEP_MS = 60_000;
// A clock that was set wrong is set right again within this time.
const SETTLING_MS = 3_600_000;

interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/**
 * A wall time that follows a step of the clock only after the clock has kept to it for an hour.
 *
 * What is old is deleted by this time: a clock that is a year ahead for a minute deletes nothing.
 */
export class SettledTime {
  #settled: ClockReading;
  /** The first reading after a step. */
  #stepped: ClockReading | undefined;

  /** @param first the clock at the start; believed, so it must not be one that was never set */
  constructor(first: ClockReading) {
    this.#settled = first;
  }

  /** Takes a reading of the clock and returns the settled time, in milliseconds since the epoch. */
  update(reading: ClockReading): number {
    if (isStep(this.#settled, reading)) {
      if (this.#stepped === undefined || isStep(this.#stepped, reading)) this.#stepped = reading;
      if (reading.monotonicMs - this.#stepped.monotonicMs >= SETTLING_MS) this.#settle(reading);
    } else this.#settle(reading);
    return this.#settled.wallMs + reading.monotonicMs - this.#settled.monotonicMs;
  }

  #settle(reading: ClockReading): void {
    this.#settled = reading;
    this.#stepped = undefined;
  }
}

function isStep(from: ClockReading, to: ClockReading): boolean {
  return Math.abs(to.wallMs - from.wallMs - (to.monotonicMs - from.monotonicMs)) >= STEP_MS;
}
