import type { Clock } from '../../../daemon/base/clock.ts';
import type { Span } from './read-plan.ts';
import { tableKeyOf } from './read-span.ts';

// A read that meets many addresses that the device does not have searches on with the next read.
const MAXIMUM_CUTS_PER_READ = 64;
// Enough to come to a single register, and past a few that the device does not have.
const MAXIMUM_REFUSALS_IN_A_ROW = 24;
// A device that refuses everything is searched for at most a tenth of the time.
const PAUSE_FACTOR = 10;
const SHORTEST_PAUSE_MS = 5000;

type Clocked = Pick<Clock, 'monotonicMs'>;

/** Remembers which tables of which units refused every part of their requests, so that they are left alone for a while. */
export class SearchPauses {
  readonly #clock: Clocked;
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clocked) {
    this.#clock = clock;
  }

  /** Whether the parts of a request may be asked. */
  maySearch(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return true;
    if (this.#clock.monotonicMs() < untilMs) return false;
    this.#untilMs.delete(key);
    return true;
  }

  /** Records that a search that began at `sinceMs` found nothing that is answered. */
  pause(key: string, sinceMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    this.#untilMs.set(key, nowMs + Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (nowMs - sinceMs)));
  }
}

interface Refusals {
  readonly sinceMs: number;
  count: number;
}

/** Decides within one call whether the parts of a refused request are asked; it asks nothing itself. */
export class PartSearch {
  readonly #pauses: SearchPauses;
  readonly #clock: Clocked;
  readonly #refusals = new Map<string, Refusals>();
  readonly #fruitless = new Set<string>();
  #cuts = 0;

  constructor(pauses: SearchPauses, clock: Clocked) {
    this.#pauses = pauses;
    this.#clock = clock;
  }

  /** Whether any request of the call was cut up. */
  get hasCut(): boolean {
    return this.#cuts > 0;
  }

  /** Records an answer with values. */
  noteAnswer(span: Span): void {
    if (this.#refusals.size > 0) this.#refusals.delete(tableKeyOf(span));
  }

  /**
   * Records a refusal.
   *
   * @param isOfAddress the device names an address as the reason; any other refusal may be that of a device which cannot
   *   answer anything now
   * @returns whether the parts of the request may be asked
   */
  noteRefusal(span: Span, isOfAddress: boolean): boolean {
    const key = tableKeyOf(span);
    const refusals = this.#refusals.get(key) ?? { sinceMs: this.#clock.monotonicMs(), count: 0 };
    refusals.count += 1;
    this.#refusals.set(key, refusals);
    if (this.#cuts >= MAXIMUM_CUTS_PER_READ) return false;
    if (isOfAddress) return true;
    if (this.#fruitless.has(key) || !this.#pauses.maySearch(key)) return false;
    if (refusals.count < MAXIMUM_REFUSALS_IN_A_ROW) return true;
    this.#fruitless.add(key);
    this.#pauses.pause(key, refusals.sinceMs);
    return false;
  }

  /** Records that a request is cut up. */
  noteCut(): void {
    this.#cuts += 1;
  }

  /** Whether the search in this table was given up, so that its outcome tells nothing. */
  isFruitless(span: Span): boolean {
    return this.#fruitless.has(tableKeyOf(span));
  }
}
