import { describeReasons } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import type { Driver } from '../driver.ts';

export const FRAME_DIRECTIONS = ['SENT', 'RECEIVED'] as const;
export type FrameDirection = (typeof FRAME_DIRECTIONS)[number];

/** Bytes that were sent at once, or arrived together. */
export interface TracedFrame {
  readonly direction: FrameDirection;
  /** A copy of them. */
  readonly bytes: Buffer;
  /** What they mean in the protocol; empty if they are no whole frame. */
  readonly meaning: string;
  /** The parts of the meaning with their codes. */
  readonly reasons: readonly FaultReason[];
}

/** Returns the meaning of a frame for its parts, none if it is no whole frame. */
export function describeParts(reasons: readonly FaultReason[]): Pick<TracedFrame, 'meaning' | 'reasons'> {
  return { meaning: describeReasons(reasons, ','), reasons };
}

/** A driver that can show the bytes of its connection. */
export interface TracingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Shows bytes from now on; a second listener takes the place of the first.
   *
   * @param onFrame undefined: ends the trace
   */
  trace(onFrame: ((frame: TracedFrame) => void) | undefined): void;
}

/** True if the driver can show the bytes of its connection. */
export function isTracing(driver: Driver): driver is TracingDriver {
  return 'trace' in driver;
}
