import type { Clock } from '../../../daemon/base/clock.ts';
import type { HealthySinceMs } from '../world/truth.ts';

/** Knows since when nothing is wrong with a thing. */
export class Health {
  readonly #time: Pick<Clock, 'monotonicMs'>;
  readonly #parts: Health[] = [];
  #faults = 0;
  #sinceMs = 0;
  #lingerMs = 0;

  /** @param whole what it is a part of: while something is wrong with that, nobody learns that a part is well again */
  constructor(time: Pick<Clock, 'monotonicMs'>, whole?: Health) {
    this.#time = time;
    if (whole !== undefined) whole.#parts.push(this);
  }

  /** Undefined while a fault lasts; may lie ahead, when a gateway may still act on what it saw of one. */
  get sinceMs(): HealthySinceMs {
    return this.#faults > 0 ? undefined : this.#sinceMs;
  }

  /**
   * Begins a fault; several may overlap.
   *
   * @param lingerMs how long after its end a gateway may still act on it, as documented
   * @returns ends it, once
   */
  begin(lingerMs = 0): () => void {
    // What is left of an earlier fault is not noticed to be over until this one is.
    const isLeft = this.#faults > 0 || this.#sinceMs > this.#time.monotonicMs();
    this.#lingerMs = isLeft ? Math.max(this.#lingerMs, lingerMs) : lingerMs;
    this.#faults += 1;
    const ends = this.#parts.map((part) => part.begin());
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#faults -= 1;
      this.#sinceMs = Math.max(this.#sinceMs, this.#time.monotonicMs() + this.#lingerMs);
      for (const end of ends) end();
    };
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
