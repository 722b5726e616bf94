import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';

/** State of the circuit breaker of an authentication provider. */
export interface BreakerState {
  /** Consecutive requests that timed out. */
  readonly consecutiveTimeouts: number;
  /** Monotonic time until which the breaker is open; then one probe request is allowed. Undefined: closed. */
  readonly untilMs: number | undefined;
}

/** Consecutive timeouts after which a provider is suspended. */
export const TIMEOUT_THRESHOLD = 3;
/** Pause before the probe request of a suspended provider; doubles with each timeout up to the maximum. */
export const FIRST_PAUSE_MS = 5000;
export const MAXIMUM_PAUSE_MS = 60_000;

export const CLOSED_BREAKER: BreakerState = { consecutiveTimeouts: 0, untilMs: undefined };

/** State of a provider, for operators. */
export interface ProviderState {
  readonly state: 'ANSWERING' | 'SUSPENDED';
  /** Earliest time of the next probe request, in milliseconds since the epoch. */
  readonly nextProbeAtMs?: number | undefined;
  /** Total number of timeouts. */
  readonly timeouts: number;
}

/** Receives the result of one request to the provider. */
export interface BreakerRequest {
  /** The provider has responded, with any result. */
  end(): void;
  /** The provider has not responded before its deadline. */
  timeOut(): void;
  /** The provider had too little time to respond. */
  abandon(): void;
}

interface CircuitBreakerOptions {
  /** Name of the provider, for the log. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Circuit breaker of a provider: after several consecutive timeouts the provider is suspended for a growing time, then probed
 * with one request. Each change is logged once.
 */
export class ProviderCircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #breaker: BreakerState = CLOSED_BREAKER;
  #timeouts = 0;
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  condition(): ProviderState {
    const { clock } = this.#options;
    const { untilMs } = this.#breaker;
    const timeouts = this.#timeouts;
    if (untilMs === undefined) return { state: 'ANSWERING', timeouts };
    const nextProbeAtMs = Math.round(clock.epochMs() + Math.max(0, untilMs - clock.monotonicMs()));
    return { state: 'SUSPENDED', nextProbeAtMs, timeouts };
  }

  /** Returns true if the provider may be called for a request now. */
  allowsRequest(): boolean {
    const { untilMs } = this.#breaker;
    return untilMs === undefined || (!this.#isProbing && this.#options.clock.monotonicMs() >= untilMs);
  }

  /** Registers a request, to be called after `allowsRequest`; while the breaker is open, one probe at a time is allowed. */
  begin(): BreakerRequest {
    const isProbe = this.#breaker.untilMs !== undefined;
    if (isProbe) this.#isProbing = true;
    const finish = (breaker: BreakerState): void => {
      if (isProbe) this.#isProbing = false;
      this.#change(breaker);
    };
    return {
      end: () => finish(CLOSED_BREAKER),
      abandon: () => finish(this.#breaker),
      timeOut: () => {
        this.#timeouts += 1;
        finish(recordTimeout(this.#breaker, this.#options.clock.monotonicMs(), isProbe));
      },
    };
  }

  #change(next: BreakerState): void {
    const wasSuspended = this.#breaker.untilMs !== undefined;
    this.#breaker = next;
    const isSuspended = next.untilMs !== undefined;
    if (isSuspended === wasSuspended) return;
    const { name: provider, logger } = this.#options;
    if (isSuspended)
      logger.warn('authentication.providerSuspended', { provider, timeouts: next.consecutiveTimeouts });
    else logger.info('authentication.providerResumed', { provider });
  }
}

/**
 * Returns the breaker state after one more timeout.
 *
 * @param nowMs milliseconds of a monotonic clock
 * @param isProbe true for the probe request of a suspended provider; while it is suspended, other timeouts are ignored
 */
export function recordTimeout(
  { consecutiveTimeouts, untilMs }: BreakerState,
  nowMs: number,
  isProbe: boolean,
): BreakerState {
  if (untilMs !== undefined && !isProbe) return { consecutiveTimeouts, untilMs };
  const next = consecutiveTimeouts + 1;
  return { consecutiveTimeouts: next, untilMs: next < TIMEOUT_THRESHOLD ? undefined : nowMs + pauseMs(next) };
}

function pauseMs(consecutiveTimeouts: number): number {
  return Math.min(MAXIMUM_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (consecutiveTimeouts - TIMEOUT_THRESHOLD));
}
