import type { Cancel } from '../../../daemon/base/clock.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { ExpectedFrame } from '../pdu/serial-framing.ts';

/** A request over a serial line that waits for its answer, or to be sent. */
export interface SerialCall {
  readonly request: LineRequest;
  readonly expected: ExpectedFrame;
  readonly timeoutMs: number;
  readonly isProbe: boolean;
  readonly isExpendable: boolean;
  readonly beganMs: number;
  readonly onSend: (() => void) | undefined;
  /** The frame that was sent; undefined while the line has to be silent first. */
  sent: Buffer | undefined;
  /** When it went out, in monotonic milliseconds. */
  sentMs: number;
  awaitsEcho: boolean;
  /** The error for what came instead of an answer. */
  instead: Error | undefined;
  cancelTimeout: Cancel;
  cancelGap: Cancel;
  readonly succeed: (bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}
