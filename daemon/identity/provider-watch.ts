import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { addSilence, NOT_SILENT } from './silence-policy.ts';
import type { Silence } from './silence-policy.ts';

/** Condition of a provider, for operators. */
export interface ProviderCondition {
  readonly state: 'ANSWERING' | 'SUSPENDED';
  /** Milliseconds since the epoch; the first request after it is the next one that the provider is asked about. */
  readonly nextProbeAtMs?: number | undefined;
  /** Number of requests that it did not answer in time. */
  readonly silences: number;
}

/** Reports the end of one inquiry. */
export interface Inquiry {
  /** The provider has answered, whatever the answer. */
  end(): void;
  /** The provider has not answered in time. */
  miss(): void;
  /** The provider was not given enough time to answer. */
  abandon(): void;
}

interface ProviderWatchOptions {
  /** Name of the provider, for the log. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Passes over a provider that is silent: after several requests in a row without an answer it is suspended for a growing time,
 * then asked about one request. Each change is logged once.
 */
export class ProviderWatch {
  readonly #options: ProviderWatchOptions;
  #silence: Silence = NOT_SILENT;
  #silences = 0;
  #isProbing = false;

  constructor(options: ProviderWatchOptions) {
    this.#options = options;
  }

  condition(): ProviderCondition {
    const { clock } = this.#options;
    const { untilMs } = this.#silence;
    const silences = this.#silences;
    if (untilMs === undefined) return { state: 'ANSWERING', silences };
    const nextProbeAtMs = Math.round(clock.epochMs() + Math.max(0, untilMs - clock.monotonicMs()));
    return { state: 'SUSPENDED', nextProbeAtMs, silences };
  }

  /** Returns whether the provider may be asked about a request now. */
  mayAsk(): boolean {
    const { untilMs } = this.#silence;
    return untilMs === undefined || (!this.#isProbing && this.#options.clock.monotonicMs() >= untilMs);
  }

  /** Notes that the provider is being asked; only one request at a time after `mayAsk` while it is suspended. */
  begin(): Inquiry {
    const isProbe = this.#silence.untilMs !== undefined;
    if (isProbe) this.#isProbing = true;
    const finish = (silence: Silence): void => {
      if (isProbe) this.#isProbing = false;
      this.#change(silence);
    };
    return {
      end: () => finish(NOT_SILENT),
      abandon: () => finish(this.#silence),
      miss: () => {
        this.#silences += 1;
        finish(addSilence(this.#silence, this.#options.clock.monotonicMs(), isProbe));
      },
    };
  }

  #change(next: Silence): void {
    const wasSuspended = this.#silence.untilMs !== undefined;
    this.#silence = next;
    const isSuspended = next.untilMs !== undefined;
    if (isSuspended === wasSuspended) return;
    const { name: provider, logger } = this.#options;
    if (isSuspended)
      logger.warn('authentication.providerSuspended', { provider, silentRequests: next.inRow });
    else logger.info('authentication.providerResumed', { provider });
  }
}
