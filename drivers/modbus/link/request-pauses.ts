import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

/** Which pauses an exchange begins. */
export interface Asked {
  readonly unitId: number;
  /** All units took the request. */
  readonly isBroadcast: boolean;
}

/**
 * Keeps a pause before each request of a connection: after the newest answer or time-out, and after the newest request, which
 * makes a difference where several are under way at once.
 *
 * The pause of the driver follows every exchange of the connection. A unit with a pause of its own rests after its own
 * exchanges alone, so that the others are asked in the meantime.
 */
export class RequestPauses {
  readonly #clock: Clock;
  readonly #settings: UnitSettingsTable;
  readonly #newestMs = new Map<number, number>();
  /** Units with a pause of their own to which a request is about to go out. */
  readonly #expected = new Map<number, symbol>();
  readonly #connectDelayMs: number;
  /** When the first request over the newest link may go out. */
  #readyMs = Number.NEGATIVE_INFINITY;
  #newestOfLineMs = Number.NEGATIVE_INFINITY;
  #newestBroadcastMs = Number.NEGATIVE_INFINITY;

  /** @param connectDelayMs milliseconds between the opening of a link and the first request over it */
  constructor(clock: Clock, settings: UnitSettingsTable, connectDelayMs = 0) {
    this.#connectDelayMs = connectDelayMs;
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Resolves when the pause before a request to the unit was over; another request may begin a new one in the same moment. */
  async wait(unitId: number, signal: AbortSignal): Promise<void> {
    for (let restMs = this.#remainingMs(unitId); restMs > 0; restMs = this.#remainingMs(unitId)) {
      await delay(this.#clock, restMs, signal);
    }
  }

  /** Records that a link was opened. */
  noteOpen(): void {
    this.#readyMs = this.#clock.monotonicMs() + this.#connectDelayMs;
  }

  /** Begins the next pause for a request that goes out now; false, and nothing happens, when the pause is not over. */
  begin(asked: Asked): boolean {
    if (this.#remainingMs(asked.unitId) > 0) return false;
    this.#expected.delete(asked.unitId);
    this.#note(asked);
    return true;
  }

  /** Records that a request was answered or given up. */
  noteEnd(asked: Asked): void {
    this.#note(asked);
  }

  /** Runs the work of a request to the unit, whose pause others to it wait for until it ended, sent or not. */
  during<T>(unitId: number, work: () => Promise<T>): Promise<T> {
    if (!this.#settings.hasOwnPause(unitId)) return work();
    const request = Symbol(`unit ${unitId}`);
    this.#expected.set(unitId, request);
    return work().finally(() => {
      if (this.#expected.get(unitId) === request) this.#expected.delete(unitId);
    });
  }

  /** Returns how many milliseconds of the pause of the unit alone are left, in which others may be asked. */
  remainingOwnMs(unitId: number): number {
    if (!this.#settings.hasOwnPause(unitId)) return 0;
    if (this.#expected.has(unitId)) return this.#settings.of(unitId).delayBetweenRequestsMs;
    return this.#remainingMs(unitId);
  }

  #note({ unitId, isBroadcast }: Asked): void {
    const nowMs = this.#clock.monotonicMs();
    this.#newestOfLineMs = nowMs;
    if (isBroadcast) this.#newestBroadcastMs = nowMs;
    else this.#newestMs.set(unitId, nowMs);
  }

  /** Returns how many milliseconds are left until the first request over the newest link may go out. */
  remainingDelayMs(): number {
    return this.#connectDelayMs === 0 ? 0 : Math.max(0, this.#readyMs - this.#clock.monotonicMs());
  }

  #remainingMs(unitId: number): number {
    const { delayBetweenRequestsMs } = this.#settings.of(unitId);
    const delayMs = this.remainingDelayMs();
    if (delayBetweenRequestsMs === 0) return delayMs;
    const newestMs = this.#settings.hasOwnPause(unitId)
      ? Math.max(this.#newestMs.get(unitId) ?? Number.NEGATIVE_INFINITY, this.#newestBroadcastMs)
      : this.#newestOfLineMs;
    return Math.max(delayMs, newestMs + delayBetweenRequestsMs - this.#clock.monotonicMs());
  }
}
