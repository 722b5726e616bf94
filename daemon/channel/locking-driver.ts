import type { Channel } from './channel.ts';
import type { Driver, PreparedRead } from './driver.ts';
import type { WriteStep } from './write-step.ts';

/** A turn with a device, in which values are read and written. */
export interface LockedDevice<Address = unknown> {
  /** Plans a read in the turn. */
  prepareRead(channels: readonly Channel<Address>[]): PreparedRead;
  /** Returns a step that the driver has prepared as one that is sent in the turn. */
  take(step: WriteStep): WriteStep;
}

/** A driver that reads and writes in one turn on its line. */
export interface LockingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Runs work in one turn with the device of a channel; no other write of this connection is sent in between.
   *
   * @throws {ConnectionError} when there is no link; and what the work throws
   */
  runExclusive<T>(
    channel: Channel<Address>,
    signal: AbortSignal,
    work: (turn: LockedDevice<Address>) => Promise<T>,
  ): Promise<T>;
}

/** Whether the driver reads and writes in one turn on its line. */
export function isLocking(driver: Driver): driver is LockingDriver {
  return 'runExclusive' in driver;
}
