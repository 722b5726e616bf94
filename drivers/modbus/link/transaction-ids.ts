/**
 * Transaction identifiers of all links of a connection, one after the other: a late response, even one that arrives over
 * the next link, answers no newer request.
 */
export class TransactionIds {
  #newest: number;

  /** @param newest identifier before the first one, 0..65535 */
  constructor(newest = 0) {
    this.#newest = newest;
  }

  /** Returns the next identifier that is not in use. */
  next(isUsed: (transactionId: number) => boolean): number {
    do this.#newest = (this.#newest + 1) & 0xffff;
    while (isUsed(this.#newest));
    return this.#newest;
  }
}
