/** Where a command writes to. */
export interface Terminal {
  /** Writes a result to standard output. */
  print(text: string): void;
  /** Writes anything else that a person should know to standard error. */
  note(text: string): void;
  /** Aborts when the command is told to stop. */
  readonly stopSignal: AbortSignal;
}

/** One verb of `penstock`. */
export interface Verb {
  readonly name: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** Text that `--help` prints. */
  readonly usage: string;
  /**
   * Runs the verb to its end.
   *
   * @param parameters the words after the verb on the command line
   * @throws {UsageError} for parameters that the verb does not know
   * @throws {GatewayError} when it fails
   */
  run(parameters: readonly string[], terminal: Terminal): Promise<void>;
}
