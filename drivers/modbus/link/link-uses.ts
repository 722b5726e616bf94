// One connection may have been lost for any reason.
const LOSSES_UNTIL_LEARNED = 2;

/** Learns from the links that were lost that a device closes each after its first answer; it closes nothing itself. */
export class LinkUses {
  #answers = 0;
  #isLost = false;
  /** Links in a row that were lost after exactly one answer. */
  #lossesAfterOne = 0;
  #links = 0;
  /** The newest link was closed without a fault, so that the next one leads to the same device. */
  #isClosedByChoice = false;

  /** Counts the links, except those that replace one that was closed by choice. */
  get linkNumber(): number {
    return this.#links;
  }

  /** Whether the device is known to close each link after its first answer, so that a link is good for one request. */
  get isForOne(): boolean {
    return this.#lossesAfterOne >= LOSSES_UNTIL_LEARNED;
  }

  /** Whether the device is about to close the link, so that nothing is to be sent over it any more. */
  get isUsedUp(): boolean {
    return this.#answers > 0 && this.isForOne;
  }

  /**
   * Records a new link.
   *
   * @returns whether another device may be at its far end
   */
  noteOpen(): boolean {
    const isOther = !this.#isClosedByChoice;
    this.#answers = 0;
    this.#isLost = false;
    this.#isClosedByChoice = false;
    if (isOther) this.#links += 1;
    return isOther;
  }

  /** Records that this end closed the newest link; by choice: although it was in order. */
  noteClosed(isByChoice: boolean): void {
    this.#isClosedByChoice = isByChoice;
  }

  /** Records an answer over the newest link. */
  noteAnswer(): void {
    this.#answers += 1;
    if (this.#answers > 1) this.#lossesAfterOne = 0;
  }

  /** Records that the far end closed the newest link; every request that was under way may report it. */
  noteLoss(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lossesAfterOne = this.#answers === 1 ? this.#lossesAfterOne + 1 : 0;
  }
}
