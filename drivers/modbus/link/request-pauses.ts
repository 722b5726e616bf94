import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

/** The pauses that an exchange starts. */
export interface PauseScope {
  readonly unitId: number;
  /** True if all units received the request. */
  readonly isBroadcast: boolean;
}

/**
 * Enforces a pause before each request of a connection: after the newest response or timeout, and after the newest
 * request, which matters if several are outstanding.
 *
 * The pause of the driver follows every exchange of the connection. A unit with its own pause rests only after its own
 * exchanges, so that other units are polled in the meantime.
 */
export class RequestPauses {
  readonly #clock: Clock;
  readonly #settings: UnitSettingsTable;
  readonly #newestMs = new Map<number, number>();
  /** Units with their own pause that are about to receive a request. */
  readonly #expected = new Map<number, symbol>();
  readonly #connectDelayMs: number;
  /** Time from which requests may be sent over the newest link. */
  #readyMs = Number.NEGATIVE_INFINITY;
  #newestOfLineMs = Number.NEGATIVE_INFINITY;
  #newestBroadcastMs = Number.NEGATIVE_INFINITY;

  /** @param connectDelayMs milliseconds between opening a link and the first request over it */
  constructor(clock: Clock, settings: UnitSettingsTable, connectDelayMs = 0) {
    this.#connectDelayMs = connectDelayMs;
    this.#clock = clock;
    this.#settings = settings;
  }

  /**
   * Resolves when the pause before a request to the unit is over; another request may start a new pause at the same
   * moment.
   */
  async wait(unitId: number, signal: AbortSignal): Promise<void> {
    for (let restMs = this.#remainingMs(unitId); restMs > 0; restMs = this.#remainingMs(unitId)) {
      await delay(this.#clock, restMs, signal);
    }
  }

  /** Records that a link was opened. */
  recordOpen(): void {
    this.#readyMs = this.#clock.monotonicMs() + this.#connectDelayMs;
  }

  /**
   * Starts the next pause for a request that is sent now; returns false without effect if the current pause is not
   * over.
   */
  begin(scope: PauseScope): boolean {
    if (this.#remainingMs(scope.unitId) > 0) return false;
    this.#expected.delete(scope.unitId);
    this.#note(scope);
    return true;
  }

  /** Records that a request was answered, timed out or was aborted. */
  recordEnd(scope: PauseScope): void {
    this.#note(scope);
  }

  /**
   * Runs the work of a request to the unit; other requests to the unit wait for its end, whether it was sent or not.
   */
  during<T>(unitId: number, work: () => Promise<T>): Promise<T> {
    if (!this.#settings.hasOwnPause(unitId)) return work();
    const request = Symbol(`unit ${unitId}`);
    this.#expected.set(unitId, request);
    return work().finally(() => {
      if (this.#expected.get(unitId) === request) this.#expected.delete(unitId);
    });
  }

  /** Returns the remaining milliseconds of the unit's own pause, in which other units may be polled. */
  remainingOwnMs(unitId: number): number {
    if (!this.#settings.hasOwnPause(unitId)) return 0;
    if (this.#expected.has(unitId)) return this.#settings.of(unitId).delayBetweenRequestsMs;
    return this.#remainingMs(unitId);
  }

  #note({ unitId, isBroadcast }: PauseScope): void {
    const nowMs = this.#clock.monotonicMs();
    this.#newestOfLineMs = nowMs;
    if (isBroadcast) this.#newestBroadcastMs = nowMs;
    else this.#newestMs.set(unitId, nowMs);
  }

  /** Returns the milliseconds until the first request may be sent over the newest link. */
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
