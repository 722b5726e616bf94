import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { InvalidResponse, LinkLost, NoResponse } from '../modbus-errors.ts';
import type { UnitResponse } from '../link/exchange.ts';
import type { ModbusLine } from '../link/modbus-line.ts';
import type { ReadRequest } from '../pdu/request.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

export interface ReadAttemptsOptions {
  readonly line: Pick<ModbusLine, 'exchange'>;
  readonly signal: AbortSignal;
  /** Defines the retries of each unit. */
  readonly settings: Pick<UnitSettingsTable, 'of'>;
  /** True if reads without a valid response are retried as well. */
  readonly retriesUnanswered: boolean;
}

/** Sends the requests of one call, retries those that may succeed, and sends none over a permanently lost link. */
export class ReadAttempts {
  readonly #options: ReadAttemptsOptions;
  #hasResponse = false;
  #linkError: ConnectionError | undefined;
  /** Consecutive lost links without a response in between. */
  #losses = 0;
  /** A lost link fails all outstanding requests at once, which counts as one loss. */
  #newestLoss: LinkLost | undefined;

  constructor(options: ReadAttemptsOptions) {
    this.#options = options;
  }

  /** Link loss because of which the call has no results; undefined if anything was answered. */
  get fatalError(): ConnectionError | undefined {
    return this.#hasResponse ? undefined : this.#linkError;
  }

  /** Records a response of the device, with values or an exception. */
  recordResponse(): void {
    this.#hasResponse = true;
    this.#losses = 0;
  }

  /** Records the failure of a request. */
  recordFailure(error: unknown): void {
    if (error instanceof ConnectionError && !this.#options.signal.aborted) this.#linkError = error;
  }

  /**
   * Sends a read until it is answered or retries are exhausted.
   *
   * @throws like `ModbusLine.exchange`
   */
  async exchange(request: ReadRequest): Promise<UnitResponse> {
    const { line, signal, settings } = this.#options;
    const { retries, wakeUp } = settings.of(request.unitId);
    if (this.#linkError !== undefined && this.#isHopeless(retries)) throw this.#linkError;
    let retriesLeft = retries;
    // The first request after a pause may have woken the unit.
    let mayBeLost = wakeUp;
    let previous: unknown;
    for (;;) {
      try {
        return await line.exchange(request, { signal });
      } catch (error) {
        // The same error again means the line is still down: stop retrying.
        if (error === previous || signal.aborted) throw error;
        previous = error;
        if (error instanceof LinkLost) {
          if (!this.#mayRepeat(error, retries)) throw error;
        } else if (mayBeLost && error instanceof NoResponse) {
          mayBeLost = false;
        } else if (this.#isRepeatable(error) && retriesLeft > 0) {
          retriesLeft -= 1;
        } else {
          throw error;
        }
      }
    }
  }

  // A link lost after a response may have been closed before this request arrived. Each response resets the retries.
  #mayRepeat(loss: LinkLost, retries: number): boolean {
    if (loss !== this.#newestLoss) this.#losses += 1;
    this.#newestLoss = loss;
    return this.#losses <= Math.max(retries, loss.hadResponses ? 1 : 0);
  }

  // The link cannot be opened, or is lost with each request.
  #isHopeless(retries: number): boolean {
    return !(this.#linkError instanceof LinkLost) || this.#losses >= retries + 2;
  }

  // A timeout is not retried over TCP, which has retransmitted the request already. A serial line does not retransmit,
  // and reading twice does no harm. A short response would be short again.
  #isRepeatable(error: unknown): boolean {
    const isDamaged = error instanceof InvalidResponse && !error.isShort;
    return this.#options.retriesUnanswered && (error instanceof NoResponse || isDamaged);
  }
}
