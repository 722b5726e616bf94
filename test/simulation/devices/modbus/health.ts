import type { Clock } from '../../../../daemon/base/clock.ts';
import type { HealthySinceMs } from '../../world/truth.ts';

/** Knows since when nothing is wrong with a thing. */
export class Health {
  readonly #time: Pick<Clock, 'monotonicMs'>;
  #faults = 0;
  #sinceMs = 0;

  constructor(time: Pick<Clock, 'monotonicMs'>) {
    this.#time = time;
  }

  /** Undefined while a fault lasts; may lie ahead, when a gateway may still act on what it saw of one. */
  get sinceMs(): HealthySinceMs {
    return this.#faults > 0 ? undefined : this.#sinceMs;
  }

  /**
   * Begins a fault.
   *
   * @param lingerMs how long after its end a gateway may still act on it, as documented
   * @returns ends it
   */
  begin(lingerMs = 0): () => void {
    this.#faults += 1;
    return () => {
      this.#faults -= 1;
      this.#sinceMs = Math.max(this.#sinceMs, this.#time.monotonicMs() + lingerMs);
    };
  }

  /** Something passed that a gateway has to recover from. */
  disturb(): void {
    this.#sinceMs = Math.max(this.#sinceMs, this.#time.monotonicMs());
  }
}

/** Returns since when all of them are in order. */
export function combineHealth(parts: readonly Health[]): HealthySinceMs {
  let sinceMs = 0;
  for (const part of parts) {
    const one = part.sinceMs;
    if (one === undefined) return undefined;
    sinceMs = Math.max(sinceMs, one);
  }
  return sinceMs;
}
