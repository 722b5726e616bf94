/** A component that must be started before use and stopped before the process exits. */
export interface Startable {
  /**
   * Resolves when the component is ready; after a failed start it cleans up before it rejects.
   *
   * @param signal aborts a start that takes too long
   */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the component has stopped; calling it again, or before `start`, does nothing. */
  stop(): Promise<void>;
}
