import type { Clock } from '../../../daemon/base/clock.ts';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';

/** Maximum time for which a connection without any response is kept; some devices need up to 5 seconds. */
const MAXIMUM_WARM_UP_MS = 10_000;
// A connection that needed a warm-up is kept through pauses of this multiple of the warm-up time.
const KEEP_FACTOR = 2;

/**
 * Detects a device that accepts a connection but ignores requests in the first seconds. Closing the connection for that
 * would only restart the warm-up.
 */
export class WarmUp {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #unanswered = new Set<number>();
  #openedMs = Number.NEGATIVE_INFINITY;
  #hasReceived = false;
  #neededMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Records that the connection was opened. */
  begin(): void {
    this.#openedMs = this.#clock.monotonicMs();
  }

  /** Records that a request to a unit timed out. */
  recordUnanswered(unitId: number): void {
    if (!this.#hasReceived) this.#unanswered.add(unitId);
  }

  /** Records that any bytes were received. */
  recordReceived(): void {
    this.#hasReceived = true;
  }

  /** Records a response in time; call before `recordReceived`. */
  recordResponse(unitId: number): void {
    if (this.#hasReceived || !this.#unanswered.has(unitId)) return;
    this.#neededMs = this.#clock.monotonicMs() - this.#openedMs;
  }

  /** True if requests were sent, nothing was received, and it is too early to close the connection. */
  get isInProgress(): boolean {
    return this.#remainingMs() > 0;
  }

  /**
   * Milliseconds from connecting to the first response of a unit that ignored earlier requests; undefined if there was
   * no such unit.
   */
  get neededMs(): number | undefined {
    return this.#neededMs;
  }

  /** Milliseconds for which an idle connection is kept. */
  keepMs(): number {
    return this.#neededMs === undefined ? this.#remainingMs() : KEEP_FACTOR * this.#neededMs;
  }

  #remainingMs(): number {
    if (this.#hasReceived || this.#unanswered.size === 0) return 0;
    return Math.max(0, this.#openedMs + MAXIMUM_WARM_UP_MS - this.#clock.monotonicMs());
  }
}

const ADVICE_STEP_MS = 500;

/** Returns the `connectDelayMs` of a device that responded only so late after connecting. */
export function toConnectDelayMs(neededMs: number): number {
  return Math.ceil(neededMs / ADVICE_STEP_MS) * ADVICE_STEP_MS;
}

/** Describes how late after connecting a device responded, and the setting that it needs. */
export function adviseWarmUp(neededMs: number): FaultReason {
  const delayMs = toConnectDelayMs(neededMs);
  const seconds = (neededMs / 1000).toFixed(1);
  return createReason(MODBUS_SCAN_SENTENCES, 'SCAN_WARM_UP', { seconds, delayMs });
}
