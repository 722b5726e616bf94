export interface AttemptOrigin {
  readonly name: string;
  readonly remoteAddress: string;
}

/** One attempt to log in that was let through; exactly one of its verbs is called once, when the outcome is known. */
export interface Attempt {
  /** Forgets the failures of this name from this address. */
  succeed(): void;
  /** @returns seconds during which this name is now refused from this address; 0 while failures are free */
  fail(): number;
  /** Takes the attempt back: it was not judged. */
  abandon(): void;
}

/** Slows down whoever guesses passwords. */
export interface AttemptLimiter {
  /**
   * Lets an attempt through.
   *
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS`
   */
  begin(origin: AttemptOrigin): Attempt;
}
