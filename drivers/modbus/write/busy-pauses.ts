import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { ACKNOWLEDGE, ExceptionResponse, SERVER_DEVICE_BUSY } from '../modbus-errors.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

/** Counts the retries of busy units within one call. */
export class BusyRetries {
  readonly #settings: UnitSettingsTable;
  readonly #used = new Map<number, number>();

  constructor(settings: UnitSettingsTable) {
    this.#settings = settings;
  }

  /**
   * Uses one retry of a busy unit.
   *
   * @returns milliseconds until the retry; undefined if no retries are left since its last other response
   */
  take(unitId: number): number | undefined {
    const { busyRetries, busyDelayMs } = this.#settings.of(unitId);
    const used = this.#used.get(unitId) ?? 0;
    if (used >= busyRetries) return undefined;
    this.#used.set(unitId, used + 1);
    return busyDelayMs;
  }

  /** Records that a unit was not busy. */
  recordReady(unitId: number): void {
    this.#used.delete(unitId);
  }
}

interface BusyPausesOptions {
  readonly settings: UnitSettingsTable;
  readonly clock: Clock;
  /** Aborts the pauses of the call. */
  readonly signal: AbortSignal;
}

/** Waits within one call until a busy unit may be polled again. Other units and other calls can use the line during that time. */
export class BusyPauses {
  readonly #options: BusyPausesOptions;
  readonly #retries: BusyRetries;

  constructor(options: BusyPausesOptions) {
    this.#options = options;
    this.#retries = new BusyRetries(options.settings);
  }

  /**
   * Waits until a busy unit may be polled again.
   *
   * @returns false if no retries are left since its last other response, or the call ended
   */
  async wait(unitId: number): Promise<boolean> {
    const { clock, signal } = this.#options;
    if (signal.aborted) return false;
    const pauseMs = this.#retries.take(unitId);
    if (pauseMs === undefined) return false;
    try {
      await delay(clock, pauseMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return false;
    }
    return true;
  }

  /** Records that a unit was not busy. */
  recordReady(unitId: number): void {
    this.#retries.recordReady(unitId);
  }
}

/**
 * True if a read that failed with this error may succeed later: the unit is busy, or needs a long time and requests a
 * retry (V1.1b3, 7).
 */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof ExceptionResponse &&
    (error.exceptionCode === SERVER_DEVICE_BUSY || error.exceptionCode === ACKNOWLEDGE)
  );
}
