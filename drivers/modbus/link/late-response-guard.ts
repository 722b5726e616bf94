import type { Clock } from '../../../daemon/base/clock.ts';

/** A unit whose response is missing or incomplete. */
interface Settling {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Extension of `untilMs` by bytes received since. */
  extendedMs: number;
}

// Bounds the wait on a line with endless bytes.
const MAXIMUM_SETTLE_FACTOR = 5;

/**
 * Tracks the units that may still send the response to a request that timed out.
 *
 * Serial frames have no transaction identifier: a late response looks like the response to the next request to the same
 * unit. So after a timeout a unit is not polled until it was silent for the response timeout. Until then other units
 * are polled, because their frames are distinguishable.
 */
export class LateResponseGuard {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #settleMsOf: (unitId: number) => number;
  readonly #units = new Map<number, Settling>();

  /** @param settleMsOf returns the silence, in milliseconds, after which no response is expected from a unit */
  constructor(clock: Pick<Clock, 'monotonicMs'>, settleMsOf: (unitId: number) => number) {
    this.#clock = clock;
    this.#settleMsOf = settleMsOf;
  }

  /** Records that a request to the unit timed out or was aborted. */
  begin(unitId: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#units.set(unitId, { sinceMs: nowMs, untilMs: nowMs + this.#settleMsOf(unitId), extendedMs: nowMs });
  }

  /** Records that a response may arrive a second time; later bytes do not extend the wait. */
  beginOnce(unitId: number): void {
    const nowMs = this.#clock.monotonicMs();
    const settleMs = this.#settleMsOf(unitId);
    const sinceMs = nowMs + settleMs - MAXIMUM_SETTLE_FACTOR * settleMs;
    this.#units.set(unitId, { sinceMs, untilMs: nowMs + settleMs, extendedMs: nowMs });
  }

  /** True if a response of the unit may still arrive. */
  has(unitId: number): boolean {
    return this.remainingMs(unitId) > 0;
  }

  /** Records bytes that belong to no request and restarts the silence of every settling unit. */
  extend(): void {
    if (this.#units.size === 0) return;
    const nowMs = this.#clock.monotonicMs();
    for (const [unitId, unit] of this.#units) {
      const settleMs = this.#settleMsOf(unitId);
      unit.extendedMs = Math.min(nowMs + settleMs, unit.sinceMs + MAXIMUM_SETTLE_FACTOR * settleMs);
    }
  }

  /** Records that the newest bytes were a frame that cannot be a late response of any settling unit. */
  dismiss(): void {
    for (const unit of this.#units.values()) unit.extendedMs = unit.untilMs;
  }

  /** Returns the milliseconds until the unit may be polled; 0 if it may be polled now. */
  remainingMs(unitId: number): number {
    const unit = this.#units.get(unitId);
    if (unit === undefined) return 0;
    const remainingMs = Math.max(unit.untilMs, unit.extendedMs) - this.#clock.monotonicMs();
    if (remainingMs > 0) return remainingMs;
    this.#units.delete(unitId);
    return 0;
  }
}
