/** Decides whether a link on which nothing comes in is dead itself; it closes nothing. */
export class LinkSilence {
  #hasHeard = false;
  #isQuiet = false;

  /** Whether nothing came in since a request was not answered. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Records that a request goes out. */
  noteRequest(): void {
    this.#hasHeard = false;
  }

  /** Records that any bytes came in. */
  noteReceived(): void {
    this.#hasHeard = true;
    this.#isQuiet = false;
  }

  /**
   * Records that the newest request was not answered.
   *
   * @returns whether the link is dead: a probe brought nothing, nor did the request before it
   */
  noteUnanswered(isProbe: boolean): boolean {
    if (this.#hasHeard) return false;
    const isDead = isProbe && this.#isQuiet;
    this.#isQuiet = true;
    return isDead;
  }
}
