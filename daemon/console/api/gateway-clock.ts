/** Send and receive time of a request, by the browser's clock, in milliseconds since the epoch. */
interface Exchange {
  readonly askedMs: number;
  readonly answeredMs: number;
}

// The header has whole seconds.
const FIELD_MS = 1000;

/**
 * Gateway clock, estimated from its responses.
 *
 * A response is dated between request and arrival, so each one bounds the offset of the clocks. An estimate within
 * the bounds stays: a slow response has wide bounds and moves nothing.
 */
export class GatewayClock {
  #aheadMs = 0;

  /** Offset from the browser's clock, in milliseconds; positive if the gateway is ahead. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** @param date Date header of a response (RFC 9110, 6.6.1); ignored if invalid */
  note(date: string | null, { askedMs, answeredMs }: Exchange): void {
    const dateMs = Date.parse(date ?? '');
    if (Number.isNaN(dateMs)) return;
    const least = dateMs - answeredMs;
    const most = dateMs + FIELD_MS - askedMs;
    this.#aheadMs = Math.min(Math.max(this.#aheadMs, least), most);
  }
}
