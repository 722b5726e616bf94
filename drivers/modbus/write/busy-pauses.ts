import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { ACKNOWLEDGE, ExceptionAnswer, SERVER_DEVICE_BUSY } from '../modbus-errors.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

/** Counts within one call how often a busy unit is asked again. */
export class BusyRetries {
  readonly #settings: UnitSettingsTable;
  readonly #used = new Map<number, number>();

  constructor(settings: UnitSettingsTable) {
    this.#settings = settings;
  }

  /**
   * Takes one of the retries of a busy unit.
   *
   * @returns the milliseconds after which it may be asked again; undefined when it was busy too often without another answer
   *   in between
   */
  take(unitId: number): number | undefined {
    const { busyRetries, busyDelayMs } = this.#settings.of(unitId);
    const used = this.#used.get(unitId) ?? 0;
    if (used >= busyRetries) return undefined;
    this.#used.set(unitId, used + 1);
    return busyDelayMs;
  }

  /** Records that a unit was not busy. */
  noteReady(unitId: number): void {
    this.#used.delete(unitId);
  }
}

interface BusyPausesOptions {
  readonly settings: UnitSettingsTable;
  readonly clock: Clock;
  /** Ends the pauses of the call. */
  readonly signal: AbortSignal;
}

/**
 * Waits within one call until a busy unit may be asked again.
 *
 * The pauses are not those of the line: other units, and other calls, go on.
 */
export class BusyPauses {
  readonly #options: BusyPausesOptions;
  readonly #retries: BusyRetries;

  constructor(options: BusyPausesOptions) {
    this.#options = options;
    this.#retries = new BusyRetries(options.settings);
  }

  /**
   * Waits until a busy unit may be asked again.
   *
   * @returns false when it was busy too often without another answer in between, or the call ended
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
  noteReady(unitId: number): void {
    this.#retries.noteReady(unitId);
  }
}

/**
 * Whether a unit that answered with this error to a read will answer it later: it is busy, or needs a long time for it and
 * wants to be asked again (V1.1b3, 7).
 */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof ExceptionAnswer &&
    (error.exceptionCode === SERVER_DEVICE_BUSY || error.exceptionCode === ACKNOWLEDGE)
  );
}
