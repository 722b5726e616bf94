import type { HealthySinceMs } from '../world/truth.ts';

/** Knows since when a thing is without any fault; several may overlap. */
export class Health {
  readonly #time: { monotonicMs(): number };
  #faults = 0;
  #sinceMs = 0;

  constructor(time: { monotonicMs(): number }) {
    this.#time = time;
  }

  /** Begins a fault; returns what ends it. */
  fail(): () => void {
    this.#faults += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#faults -= 1;
      this.#sinceMs = this.#time.monotonicMs();
    };
  }

  /** Records a fault that is over at once. */
  stumble(): void {
    this.#sinceMs = this.#time.monotonicMs();
  }

  /** Milliseconds of the world; undefined while there is a fault. */
  get sinceMs(): HealthySinceMs {
    return this.#faults > 0 ? undefined : this.#sinceMs;
  }
}

/** Returns since when all of them are without fault. */
export function healthyTogether(...all: readonly Health[]): HealthySinceMs {
  let newestMs = 0;
  for (const { sinceMs } of all) {
    if (sinceMs === undefined) return undefined;
    newestMs = Math.max(newestMs, sinceMs);
  }
  return newestMs;
}
