import type { Clock } from '../../../daemon/base/clock.ts';
import type { Span } from './read-plan.ts';
import { tableKeyOf } from './read-span.ts';

// A read with more missing addresses continues the search in the next read.
const MAXIMUM_SPLITS_PER_READ = 64;
// Enough to reach a single register, and to pass a few missing ones.
const MAXIMUM_REFUSALS_IN_A_ROW = 24;
// Splitting requests to a device that refuses everything takes at most a tenth of the time.
const PAUSE_FACTOR = 10;
const MINIMUM_PAUSE_MS = 5000;

type Clocked = Pick<Clock, 'monotonicMs'>;

/** Suspends splitting for tables of units that refused every part of their requests. */
export class SplitBackoff {
  readonly #clock: Clocked;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clocked) {
    this.#clock = clock;
  }

  /** True if a request may be split. */
  maySplit(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return true;
    if (this.#clock.monotonicMs() < untilMs) return false;
    this.#untilMs.delete(key);
    return true;
  }

  /** Records that splitting since `sinceMs` found no part that is answered. */
  pause(key: string, sinceMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#untilMs.set(key, nowMs + Math.max(MINIMUM_PAUSE_MS, PAUSE_FACTOR * (nowMs - sinceMs)));
  }
}

interface Refusals {
  readonly sinceMs: number;
  count: number;
}

/** Decides, per call, whether a refused request is split and retried. Performs no I/O. */
export class SplitPolicy {
  readonly #pauses: SplitBackoff;
  readonly #clock: Clocked;
  readonly #refusals = new Map<string, Refusals>();
  readonly #fruitless = new Set<string>();
  #cuts = 0;

  constructor(pauses: SplitBackoff, clock: Clocked) {
    this.#pauses = pauses;
    this.#clock = clock;
  }

  /** True if any request of the call was split. */
  get hasSplit(): boolean {
    return this.#cuts > 0;
  }

  /** Records a response with values. */
  recordResponse(span: Span): void {
    if (this.#refusals.size > 0) this.#refusals.delete(tableKeyOf(span));
  }

  /**
   * Records a refusal.
   *
   * @param isOfAddress true if the device reports an address as the reason; after any other refusal the device may be
   *   unable to answer anything now
   * @returns true if the request may be split
   */
  recordRefusal(span: Span, isOfAddress: boolean): boolean {
    const key = tableKeyOf(span);
    const refusals = this.#refusals.get(key) ?? { sinceMs: this.#clock.monotonicMs(), count: 0 };
    refusals.count += 1;
    this.#refusals.set(key, refusals);
    if (this.#cuts >= MAXIMUM_SPLITS_PER_READ) return false;
    if (isOfAddress) return true;
    if (this.#fruitless.has(key) || !this.#pauses.maySplit(key)) return false;
    if (refusals.count < MAXIMUM_REFUSALS_IN_A_ROW) return true;
    this.#fruitless.add(key);
    this.#pauses.pause(key, refusals.sinceMs);
    return false;
  }

  /** Records that a request is split. */
  recordSplit(): void {
    this.#cuts += 1;
  }

  /** True if splitting was given up in this table, so that its outcome shows nothing. */
  isFruitless(span: Span): boolean {
    return this.#fruitless.has(tableKeyOf(span));
  }
}
