/** A moment at which the clock of the machine was set. */
export interface ClockStep {
  /** Simulated time. */
  readonly atMs: number;
  readonly deltaMs: number;
}

/** The lives of a gateway on one machine: it starts, ends or is killed, and starts again on the same data. */
export interface Life {
  /** Since when it serves without a break; undefined while it does not. */
  readonly servingSinceMs: number | undefined;
  /** The number of the present life, or of the last one. */
  readonly number: number;
  /** When lives were ended by a loss of power. */
  readonly killsMs: readonly number[];
  /** Whether it is about to end as asked. */
  readonly isStopping: boolean;
  /** The time of the gateway's own clock. */
  epochMs(): number;
  /** When that clock was set, and by how much. */
  readonly clockSteps: readonly ClockStep[];
  /** Simulated times at which lives began. */
  readonly startsMs: readonly number[];
  /** Whether that clock has never been set. */
  readonly hasSteadyClock: boolean;
  start(): Promise<void>;
  /** Ends it as the service manager does. */
  stop(): Promise<void>;
  /** Ends it as a loss of power does. */
  kill(): Promise<void>;
  /** Sets the clock of the machine. */
  stepClock(deltaMs: number): void;
  /** Copies the data of the gateway, which has stopped. */
  copyData(to: string): void;
  /** Releases everything, at the end of a run. */
  abandon(): Promise<void>;
}
