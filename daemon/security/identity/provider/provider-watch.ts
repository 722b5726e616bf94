import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';

/** How an authentication provider has answered lately. */
export interface Silence {
  /** Consecutive requests that it did not answer in time. */
  readonly inRow: number;
  /** It is not asked before this time of a monotonic clock, and then about one request; undefined: it is asked. */
  readonly untilMs: number | undefined;
}

/** Consecutive requests without an answer after which a provider is suspended. */
export const SILENT_REQUESTS = 3;
/** Pause before a suspended provider is asked about one request; it doubles each time, up to the longest. */
export const FIRST_PAUSE_MS = 5000;
export const LONGEST_PAUSE_MS = 60_000;

export const NOT_SILENT: Silence = { inRow: 0, untilMs: undefined };

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

/**
 * Returns the state of a provider after one more request that it did not answer in time.
 *
 * @param nowMs milliseconds of a monotonic clock
 * @param isProbe whether it is the one request about which a suspended provider was asked; other late ones change nothing then
 */
export function addSilence({ inRow, untilMs }: Silence, nowMs: number, isProbe: boolean): Silence {
  if (untilMs !== undefined && !isProbe) return { inRow, untilMs };
  const next = inRow + 1;
  return { inRow: next, untilMs: next < SILENT_REQUESTS ? undefined : nowMs + pauseMs(next) };
}

function pauseMs(inRow: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (inRow - SILENT_REQUESTS));
}
