import type { UnitResponse } from '../link/exchange.ts';
import { InvalidResponse, NoResponse, ExceptionResponse } from '../modbus-errors.ts';
import type { ReadRequest } from '../pdu/request.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';
import type { UnitMonitor } from './unit-monitor.ts';

/** Pause after a response from which on a unit may sleep. */
const AWAKE_MS = 250;

export interface WakeUpOptions {
  readonly settings: Pick<UnitSettingsTable, 'of'>;
  readonly monitor: Pick<UnitMonitor, 'recordResponse' | 'wakeUpTiming'>;
  /** Schedules and sends a read whose timeout changes nothing for the unit or the link. */
  readonly send: (read: ReadRequest, timeoutMs: number, signal: AbortSignal) => Promise<UnitResponse>;
}

/** Wakes units that lose the first request after a pause, before a request that must not be lost or is not retried. */
export class WakeUp {
  readonly #options: WakeUpOptions;

  constructor(options: WakeUpOptions) {
    this.#options = options;
  }

  /**
   * Sends an expendable read if the unit may sleep; undefined if that is not needed.
   *
   * @throws {ConnectionError} if the link is down or lost
   * @throws the reason of the signal
   */
  before(read: ReadRequest, signal: AbortSignal): Promise<void> | undefined {
    const { settings, monitor } = this.#options;
    if (!settings.of(read.unitId).wakeUp) return undefined;
    const { sinceResponseMs, timeoutMs, answered = read } = monitor.wakeUpTiming(read.unitId);
    return sinceResponseMs < AWAKE_MS ? undefined : this.#wake(answered, timeoutMs, signal);
  }

  async #wake(read: ReadRequest, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { monitor, send } = this.#options;
    try {
      const { durationMs } = await send(read, timeoutMs, signal);
      monitor.recordResponse(read, durationMs);
    } catch (error) {
      const isOfUnit =
        error instanceof NoResponse || error instanceof ExceptionResponse || error instanceof InvalidResponse;
      if (!isOfUnit) throw error;
    }
  }
}
