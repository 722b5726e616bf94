import type { Clock } from '../../daemon/base/clock.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

/**
 * Knows how long to wait before the next request.
 *
 * The pause of the driver follows every exchange of the line. A unit with a pause of its own rests after its own exchanges
 * alone, so that the others are asked in the meantime.
 */
export class RequestPauses {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #settings: UnitSettingsTable;
  readonly #lastEndMs = new Map<number, number>();
  #lastEndOfLineMs = Number.NEGATIVE_INFINITY;
  #lastBroadcastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonicMs'>, settings: UnitSettingsTable) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Records that an exchange with a unit ended just now. */
  noteEnd(unitId: number, isBroadcast: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    this.#lastEndOfLineMs = nowMs;
    if (isBroadcast) this.#lastBroadcastMs = nowMs;
    else this.#lastEndMs.set(unitId, nowMs);
  }

  /** Returns how many milliseconds are left before the unit may be asked; 0 when it may be asked now. */
  remainingMs(unitId: number): number {
    const { delayBetweenRequestsMs } = this.#settings.of(unitId);
    if (delayBetweenRequestsMs === 0) return 0;
    const endMs = this.#settings.hasOwnPause(unitId)
      ? Math.max(this.#lastEndMs.get(unitId) ?? Number.NEGATIVE_INFINITY, this.#lastBroadcastMs)
      : this.#lastEndOfLineMs;
    return Math.max(0, endMs + delayBetweenRequestsMs - this.#clock.monotonicMs());
  }

  /** Returns what of it is the pause of the unit alone, in which others may be asked. */
  remainingOwnMs(unitId: number): number {
    return this.#settings.hasOwnPause(unitId) ? this.remainingMs(unitId) : 0;
  }
}
