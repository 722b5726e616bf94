// A single connection may be lost for any reason.
const LOSSES_UNTIL_DETECTED = 2;

// Two losses may have had another cause, and a device that connects to the gateway takes seconds for each new link.
const CLOSINGS_UNTIL_TRIAL = 16;

/** Detects devices that close the connection after each response. Observes only. */
export class SingleUseLinkDetector {
  #responses = 0;
  #isLost = false;
  /** Consecutive links that were lost after exactly one response. */
  #lossesAfterOne = 0;
  #links = 0;
  /** True if the newest link was closed while intact, so that the next one leads to the same device. */
  #isClosedByChoice = false;
  /** Links closed by choice since the device was last seen to close one. */
  #closings = 0;

  /** Counts the links, except those that replace a link closed by choice. */
  get linkNumber(): number {
    return this.#links;
  }

  /** True if the device closes each link after its first response, so that a link serves one request. */
  get isSingleUse(): boolean {
    return this.#lossesAfterOne >= LOSSES_UNTIL_DETECTED;
  }

  /** True if the device is about to close the link, so that no more requests may be sent over it. */
  get isSpent(): boolean {
    return this.#responses > 0 && this.isSingleUse;
  }

  /** True if a spent link may be used once more, to see whether the device still closes its links. */
  get isTrialDue(): boolean {
    return this.#closings >= CLOSINGS_UNTIL_TRIAL;
  }

  /**
   * Records a new link.
   *
   * @returns true if it may lead to another device
   */
  recordOpen(): boolean {
    const isOther = !this.#isClosedByChoice;
    this.#responses = 0;
    this.#isLost = false;
    this.#isClosedByChoice = false;
    if (isOther) this.#links += 1;
    return isOther;
  }

  /** Records that this side closed the newest link; by choice means although it was intact. */
  recordClosed(isByChoice: boolean): void {
    this.#isClosedByChoice = isByChoice;
    if (isByChoice) this.#closings += 1;
  }

  /** Records a request over the newest link. */
  recordRequest(): void {
    if (this.isSpent) this.#closings = 0;
  }

  /** Records a response over the newest link. */
  recordResponse(): void {
    this.#responses += 1;
    if (this.#responses > 1) this.#lossesAfterOne = 0;
  }

  /** Records that the far end closed the newest link; every outstanding request may report it. */
  recordLoss(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lossesAfterOne = this.#responses === 1 ? this.#lossesAfterOne + 1 : 0;
  }
}
