import { delay } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { ACKNOWLEDGE, ExceptionAnswer, SERVER_DEVICE_BUSY } from './exception.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

export interface BusyPausesOptions {
  readonly settings: UnitSettingsTable;
  readonly clock: Clock;
  /** Ends the pauses of the call. */
  readonly signal: AbortSignal;
}

/**
 * Decides within one call how often a busy unit is asked again, and waits in between.
 *
 * The pauses are not those of the line: other units, and other calls, go on.
 */
export class BusyPauses {
  readonly #options: BusyPausesOptions;
  readonly #used = new Map<number, number>();

  constructor(options: BusyPausesOptions) {
    this.#options = options;
  }

  /**
   * Waits until a busy unit may be asked again.
   *
   * @returns false when it was busy too often without another answer in between, or the call ended
   */
  async wait(unitId: number): Promise<boolean> {
    const { settings, clock, signal } = this.#options;
    const { busyRetries, busyDelayMs } = settings.of(unitId);
    const used = this.#used.get(unitId) ?? 0;
    if (used >= busyRetries || signal.aborted) return false;
    this.#used.set(unitId, used + 1);
    try {
      await delay(clock, busyDelayMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return false;
    }
    return true;
  }

  /** Records that a unit was not busy. */
  noteReady(unitId: number): void {
    this.#used.delete(unitId);
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
