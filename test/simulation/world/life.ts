/** The lives of a gateway on one machine: it starts, ends or is killed, and starts again on the same data. */
export interface Life {
  /** Since when it serves without a break; undefined while it does not. */
  readonly servingSinceMs: number | undefined;
  start(): Promise<void>;
  /** Ends it as the service manager does. */
  stop(): Promise<void>;
  /** Ends it as a loss of power does. */
  kill(): Promise<void>;
  /** Sets the clock of the machine. */
  stepClock(deltaMs: number): void;
  /** Releases everything, at the end of a run. */
  abandon(): Promise<void>;
}
