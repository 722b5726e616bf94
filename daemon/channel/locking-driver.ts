import type { Channel } from './channel.ts';
import type { Driver, PreparedRead } from './driver.ts';
import type { WriteStep } from './write-step.ts';

/** A device while one caller holds its lock. */
export interface LockedDevice<Address = unknown> {
  /** Plans a read under the lock. */
  prepareRead(channels: readonly Channel<Address>[]): PreparedRead;
  /** Returns a prepared step in a form that is sent under the lock. */
  take(step: WriteStep): WriteStep;
}

/** A driver that can lock a device for a read and a write. */
export interface LockingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Runs work while it holds the device of a channel; no other write of this connection is sent in between.
   *
   * @throws {ConnectionError} without a link; errors of the work are passed on
   */
  runExclusive<T>(
    channel: Channel<Address>,
    signal: AbortSignal,
    work: (turn: LockedDevice<Address>) => Promise<T>,
  ): Promise<T>;
}

/** True if the driver can lock a device for a read and a write. */
export function isLocking(driver: Driver): driver is LockingDriver {
  return 'runExclusive' in driver;
}
