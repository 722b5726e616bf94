import type { Clock } from '../../../daemon/base/clock.ts';

/** How long a connection is kept on which nothing was answered yet; devices are known that need up to 5 seconds. */
const LONGEST_WARM_UP_MS = 10_000;
// Pauses between requests for which a connection that had to warm up is kept, in multiples of that time.
const KEEP_FACTOR = 2;

/**
 * Recognizes a device that accepts a connection and ignores what comes over it in the first seconds: closing the connection
 * because of that would only begin the time anew.
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

  /** Records that a request to a unit was not answered. */
  noteUnanswered(unitId: number): void {
    if (!this.#hasReceived) this.#unanswered.add(unitId);
  }

  /** Records that anything came in. */
  noteReceived(): void {
    this.#hasReceived = true;
  }

  /** Records that a unit answered in time; to be called before `noteReceived`. */
  noteAnswer(unitId: number): void {
    if (this.#hasReceived || !this.#unanswered.has(unitId)) return;
    this.#neededMs = this.#clock.monotonicMs() - this.#openedMs;
  }

  /** Whether nothing came in yet although something was asked for, and it is too early to give the connection up. */
  get isUnderWay(): boolean {
    return this.#remainingMs() > 0;
  }

  /** Milliseconds after which the first answer came, of a unit that ignored requests before; undefined: none did. */
  get neededMs(): number | undefined {
    return this.#neededMs;
  }

  /** Milliseconds for which the connection is kept although nobody uses it. */
  keepMs(): number {
    return this.#neededMs === undefined ? this.#remainingMs() : KEEP_FACTOR * this.#neededMs;
  }

  #remainingMs(): number {
    if (this.#hasReceived || this.#unanswered.size === 0) return 0;
    return Math.max(0, this.#openedMs + LONGEST_WARM_UP_MS - this.#clock.monotonicMs());
  }
}

const ADVICE_STEP_MS = 500;

/** Tells, in words, that a device answered only that long after connecting, and which setting it needs. */
export function adviseWarmUp(neededMs: number): string {
  const delayMs = Math.ceil(neededMs / ADVICE_STEP_MS) * ADVICE_STEP_MS;
  const seconds = (neededMs / 1000).toFixed(1);
  return `the device responds only ${seconds} s after connecting; set connectDelayMs: ${delayMs}`;
}
