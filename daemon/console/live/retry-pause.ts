const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** The pause before a stream is opened again: twice as long each time, until something came. */
export class RetryPause {
  #nextMs = FIRST_MS;

  /** Notes that the stream gave something. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  async wait(): Promise<void> {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(LONGEST_MS, 2 * ms);
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }
}
