import type { Clock } from '../../../daemon/base/clock.ts';

/** A unit whose answer did not come, or not whole. */
interface Settling {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The same for bytes that came since. */
  extendedMs: number;
}

// A line on which bytes never end is not waited for for ever.
const MAXIMUM_SETTLE_FACTOR = 5;

/**
 * Knows which units may still send the answer to a request that was given up.
 *
 * Frames on serial lines carry nothing that ties an answer to its request: one that is late looks like the answer to the
 * next request to the same unit. So a unit that missed its time is not asked again before it was silent as long as
 * answers are waited for. Others go on, because the frames of another unit cannot be taken for theirs.
 */
export class LateAnswerGuard {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #settleMsOf: (unitId: number) => number;
  readonly #units = new Map<number, Settling>();

  /** @param settleMsOf returns the silence, in milliseconds, after which nothing is expected from a unit any more */
  constructor(clock: Pick<Clock, 'monotonicMs'>, settleMsOf: (unitId: number) => number) {
    this.#clock = clock;
    this.#settleMsOf = settleMsOf;
  }

  /** Records that a request to the unit was given up. */
  begin(unitId: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#units.set(unitId, { sinceMs: nowMs, untilMs: nowMs + this.#settleMsOf(unitId), extendedMs: nowMs });
  }

  /** Records that an answer of the unit may have come twice; what comes then does not prolong the wait. */
  beginOnce(unitId: number): void {
    const nowMs = this.#clock.monotonicMs();
    const settleMs = this.#settleMsOf(unitId);
    const sinceMs = nowMs + settleMs - MAXIMUM_SETTLE_FACTOR * settleMs;
    this.#units.set(unitId, { sinceMs, untilMs: nowMs + settleMs, extendedMs: nowMs });
  }

  /** Whether an answer of the unit may be on its way. */
  has(unitId: number): boolean {
    return this.remainingMs(unitId) > 0;
  }

  /** Records bytes that belong to no request: the silence of every unit that settles begins again. */
  extend(): void {
    if (this.#units.size === 0) return;
    const nowMs = this.#clock.monotonicMs();
    for (const [unitId, unit] of this.#units) {
      const settleMs = this.#settleMsOf(unitId);
      unit.extendedMs = Math.min(nowMs + settleMs, unit.sinceMs + MAXIMUM_SETTLE_FACTOR * settleMs);
    }
  }

  /** Records that the newest bytes were a frame that can be nobody's late answer. */
  dismiss(): void {
    for (const unit of this.#units.values()) unit.extendedMs = unit.untilMs;
  }

  /** Returns how many milliseconds to wait before the unit may be asked; 0 when it may be asked now. */
  remainingMs(unitId: number): number {
    const unit = this.#units.get(unitId);
    if (unit === undefined) return 0;
    const remainingMs = Math.max(unit.untilMs, unit.extendedMs) - this.#clock.monotonicMs();
    if (remainingMs > 0) return remainingMs;
    this.#units.delete(unitId);
    return 0;
  }
}
