/** A part that has to be started before it is of use and stopped before the process ends. */
export interface Startable {
  /**
   * Resolves when the part is ready; a part that fails to start cleans up before it rejects.
   *
   * @param signal aborts a start that takes too long
   */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing of the part runs any more; calling it again, or before `start`, does nothing. */
  stop(): Promise<void>;
}
