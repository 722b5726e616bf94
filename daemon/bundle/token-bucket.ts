import type { Clock } from '../base/clock.ts';

interface TokenBucketOptions {
  /** What may be spent at once after a rest. */
  readonly capacity: number;
  readonly perSecond: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Holds whoever spends to a rate, with bursts; one that spends more than is there waits until the debt is paid. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledAtMs: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.capacity;
    this.#filledAtMs = options.clock.monotonicMs();
  }

  spend(amount: number): void {
    this.#fill();
    this.#tokens -= amount;
  }

  /** Milliseconds before something may be spent; 0: now. */
  waitMs(): number {
    this.#fill();
    if (this.#tokens >= 1) return 0;
    return Math.ceil(((1 - this.#tokens) * 1000) / this.#options.perSecond);
  }

  #fill(): void {
    const { capacity, perSecond, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#tokens = Math.min(capacity, this.#tokens + ((nowMs - this.#filledAtMs) * perSecond) / 1000);
    this.#filledAtMs = nowMs;
  }
}
