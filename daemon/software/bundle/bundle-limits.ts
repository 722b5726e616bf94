import type { StorageLimits } from './storage/storage-decision.ts';

/** Resources that one bundle may use, and time limits of its operations. */
export interface BundleLimits {
  /** Maximum JavaScript heap, in MiB. */
  readonly heapMib: number;
  /** Maximum resident memory of the process, in MiB; a process that exceeds it is killed. */
  readonly residentMib: number;
  readonly memoryCheckIntervalMs: number;
  /** Maximum of what it stores in its data directory. */
  readonly storage: StorageLimits;
  readonly storageCheckIntervalMs: number;
  /** Time limit for loading the main module and for `activate`. */
  readonly activationMs: number;
  /** Time for which a bundle must keep running after `activate` to count as started. */
  readonly probationMs: number;
  /** Interval between two heartbeats. */
  readonly heartbeatIntervalMs: number;
  /** Time limit for the response to a heartbeat. */
  readonly heartbeatDeadlineMs: number;
  /** Time limit for `deactivate`. */
  readonly deactivationMs: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly terminationMs: number;
}

export const DEFAULT_LIMITS: BundleLimits = {
  heapMib: 64,
  residentMib: 192,
  memoryCheckIntervalMs: 2000,
  storage: { bytes: 67_108_864, entries: 10_000 },
  storageCheckIntervalMs: 2000,
  // At the lowest priority, a bundle on a busy machine may wait long for CPU time, here and for its heartbeat.
  activationMs: 60_000,
  probationMs: 5000,
  heartbeatIntervalMs: 5000,
  heartbeatDeadlineMs: 20_000,
  deactivationMs: 5000,
  terminationMs: 2000,
};
