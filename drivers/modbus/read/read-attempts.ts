import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { InvalidAnswer, LinkLost, NoAnswer } from '../modbus-errors.ts';
import type { Answer } from '../link/exchange.ts';
import type { ModbusLine } from '../link/modbus-line.ts';
import type { ReadRequest } from '../pdu/request.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

export interface ReadAttemptsOptions {
  readonly line: Pick<ModbusLine, 'exchange'>;
  readonly signal: AbortSignal;
  /** Knows how often a read of each unit is sent again. */
  readonly settings: Pick<UnitSettingsTable, 'of'>;
  /** Reads without an answer, or with a damaged one, are sent again as well. */
  readonly repeatsUnanswered: boolean;
}

/** Sends the requests of one call, those that are worth it again, and none over a link that is gone for good. */
export class ReadAttempts {
  readonly #options: ReadAttemptsOptions;
  #hasAnswer = false;
  #linkError: ConnectionError | undefined;
  /** Links lost in a row without an answer between them. */
  #losses = 0;
  /** One loss of a link ends all that is under way. */
  #newestLoss: LinkLost | undefined;

  constructor(options: ReadAttemptsOptions) {
    this.#options = options;
  }

  /** The loss of the link for which the call brings nothing; undefined when anything was answered. */
  get fatalError(): ConnectionError | undefined {
    return this.#hasAnswer ? undefined : this.#linkError;
  }

  /** Records that the device answered, by values or by an exception. */
  noteAnswer(): void {
    this.#hasAnswer = true;
    this.#losses = 0;
  }

  /** Records why a request of the call failed. */
  noteFailure(error: unknown): void {
    if (error instanceof ConnectionError && !this.#options.signal.aborted) this.#linkError = error;
  }

  /**
   * Sends a read until it is answered, or not worth it any more.
   *
   * @throws as `ModbusLine.exchange` does
   */
  async exchange(request: ReadRequest): Promise<Answer> {
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
        // A line that stays down fails with the same error again, and is not tried for ever.
        if (error === previous || signal.aborted) throw error;
        previous = error;
        if (error instanceof LinkLost) {
          if (!this.#mayRepeat(error, retries)) throw error;
        } else if (mayBeLost && error instanceof NoAnswer) {
          mayBeLost = false;
        } else if (this.#isRepeatable(error) && retriesLeft > 0) {
          retriesLeft -= 1;
        } else {
          throw error;
        }
      }
    }
  }

  // A link that goes after an answer may have been closed before this request came to it. Each answer renews the retries.
  #mayRepeat(loss: LinkLost, retries: number): boolean {
    if (loss !== this.#newestLoss) this.#losses += 1;
    this.#newestLoss = loss;
    return this.#losses <= Math.max(retries, loss.hadAnswers ? 1 : 0);
  }

  // The link cannot be opened, or goes with each request.
  #isHopeless(retries: number): boolean {
    return !(this.#linkError instanceof LinkLost) || this.#losses >= retries + 2;
  }

  // A time-out is not repeated over TCP, which has sent the request again on its own as often as it was worth. A read on a
  // serial line has no such guarantee, and does no harm when it is carried out twice. A short answer would be short again.
  #isRepeatable(error: unknown): boolean {
    const isDamaged = error instanceof InvalidAnswer && !error.isShort;
    return this.#options.repeatsUnanswered && (error instanceof NoAnswer || isDamaged);
  }
}
