/** How long the browser waited for an answer, by its own clock; milliseconds since the epoch. */
interface Exchange {
  readonly askedMs: number;
  readonly answeredMs: number;
}

// The field has whole seconds.
const FIELD_MS = 1000;

/**
 * The clock of the gateway, as its answers tell it.
 *
 * An answer was dated between its question and its arrival, so each one bounds how far the clocks are apart. What lies within
 * the bounds stays: an answer that was long under way tells little, and moves nothing.
 */
export class GatewayClock {
  #aheadMs = 0;

  /** How far it is ahead of the clock of the browser, in milliseconds. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** @param date field Date of an answer (RFC 9110, 6.6.1); one that cannot be read is passed over */
  note(date: string | null, { askedMs, answeredMs }: Exchange): void {
    const dateMs = Date.parse(date ?? '');
    if (Number.isNaN(dateMs)) return;
    const least = dateMs - answeredMs;
    const most = dateMs + FIELD_MS - askedMs;
    this.#aheadMs = Math.min(Math.max(this.#aheadMs, least), most);
  }
}
