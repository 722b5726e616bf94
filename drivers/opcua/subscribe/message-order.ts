const LARGEST_SEQUENCE_NUMBER = 0xffff_ffff;
// More cannot be missing: servers store far fewer messages, so the number does not continue the sequence.
const MAXIMUM_MISSING = 1000;
// Fetched messages that may still arrive a second time.
const MAXIMUM_FETCHED = 1000;

/** Order of the messages of one subscription, by their sequence numbers (OPC 10000-4, 7.26). */
export class MessageOrder {
  #next: number;
  readonly #fetched = new Set<number>();

  constructor(next = 1) {
    this.#next = next;
  }

  /** Sequence number of the next message. */
  get next(): number {
    return this.#next;
  }

  /**
   * Returns how many messages are missing before the one with this number; a keep-alive has the number of the next
   * message (OPC 10000-4, 5.14.1.1).
   *
   * @returns undefined if the number does not continue the sequence
   */
  countMissing(sequenceNumber: number): number | undefined {
    // Numbers begin again at 1 after the largest.
    const ahead = (sequenceNumber - this.#next + LARGEST_SEQUENCE_NUMBER) % LARGEST_SEQUENCE_NUMBER;
    return sequenceNumber > 0 && ahead <= MAXIMUM_MISSING ? ahead : undefined;
  }

  /** True if the message was fetched before it arrived. */
  isFetched(sequenceNumber: number): boolean {
    return this.#fetched.has(sequenceNumber);
  }

  /** Records the next message as received. */
  advance(): void {
    this.#next = this.#next === LARGEST_SEQUENCE_NUMBER ? 1 : this.#next + 1;
  }

  /** Records the next message as fetched from the server's store. */
  advanceFetched(): void {
    this.#fetched.add(this.#next);
    const [oldest] = this.#fetched;
    if (this.#fetched.size > MAXIMUM_FETCHED && oldest !== undefined) this.#fetched.delete(oldest);
    this.advance();
  }
}
