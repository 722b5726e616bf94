/** What one bundle may take of the machine, and how long the gateway waits for it. */
export interface BundleLimits {
  /** Heap of JavaScript, in MiB. */
  readonly heapMib: number;
  /** Resident memory of the process as a whole, in MiB; what takes more is ended. */
  readonly residentMib: number;
  readonly memoryCheckIntervalMs: number;
  /** Time for loading the main module and for `activate`. */
  readonly activationMs: number;
  /** So long a bundle has to stay up after `activate` to count as started. */
  readonly probationMs: number;
  /** Pause between two questions whether the bundle is alive. */
  readonly heartbeatIntervalMs: number;
  /** Time for the answer to such a question. */
  readonly heartbeatDeadlineMs: number;
  /** Time for `deactivate`. */
  readonly deactivationMs: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly terminationMs: number;
}

export const DEFAULT_LIMITS: BundleLimits = {
  heapMib: 64,
  residentMib: 192,
  memoryCheckIntervalMs: 2000,
  // At the lowest priority a bundle on a busy machine may have to wait for its turn, here and for its heartbeat.
  activationMs: 60_000,
  probationMs: 5000,
  heartbeatIntervalMs: 5000,
  heartbeatDeadlineMs: 20_000,
  deactivationMs: 5000,
  terminationMs: 2000,
};
