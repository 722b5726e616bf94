/** Message without acknowledgement of its own. */
interface Passing {
  readonly resolve: () => void;
}

/**
 * Acknowledges messages of QoS 0 by the PINGRESP to a PINGREQ that was sent after them: a broker handles the packets of a
 * connection in order.
 *
 * At most one PINGREQ of its own is outstanding, so that a burst of messages shares one.
 */
export class PingBarrier {
  readonly #ping: () => void;
  /** Messages since the last PINGREQ. */
  #since: Passing[] = [];
  /** Messages before each PINGREQ without response, in order. */
  readonly #before: Passing[][] = [];
  #isScheduled = false;

  /** @param ping sends a PINGREQ, and calls `onSent` */
  constructor(ping: () => void) {
    this.#ping = ping;
  }

  /** Adds a message that was written; `resolve` is called when the broker has it. */
  add(resolve: () => void): void {
    this.#since.push({ resolve });
    if (this.#isScheduled || this.#before.length > 0) return;
    this.#isScheduled = true;
    // What is written in this turn shares the PINGREQ.
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#since.length > 0) this.#ping();
    });
  }

  /** Records a PINGREQ, one of the library for the keep-alive included. */
  onSent(): void {
    this.#before.push(this.#since);
    this.#since = [];
  }

  /** Records a PINGRESP. */
  onReceived(): void {
    for (const { resolve } of this.#before.shift() ?? []) resolve();
    if (this.#since.length > 0 && this.#before.length === 0) this.#ping();
  }
}
