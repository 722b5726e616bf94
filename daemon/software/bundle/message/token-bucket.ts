import type { Clock } from '../../../base/clock.ts';

interface TokenBucketOptions {
  /** Burst size: tokens available after a pause. */
  readonly capacity: number;
  readonly perSecond: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Limits a rate and allows bursts. More tokens than available may be spent; the debt then delays the next. */
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

  /** Returns the milliseconds until a token is available; 0: now. */
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
