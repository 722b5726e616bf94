import type { Cancel } from '../../../daemon/base/clock.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { ExpectedFrame } from '../pdu/serial-framing.ts';

/** A serial request that waits for its response, or to be sent. */
export interface SerialCall {
  readonly request: LineRequest;
  readonly expected: ExpectedFrame;
  readonly timeoutMs: number;
  readonly isProbe: boolean;
  readonly isExpendable: boolean;
  readonly beganMs: number;
  readonly onSend: (() => void) | undefined;
  /** The frame that was sent; undefined while waiting for line silence. */
  sent: Buffer | undefined;
  /** Time when it was sent, in monotonic milliseconds. */
  sentMs: number;
  awaitsEcho: boolean;
  /** Error for the bytes received instead of a response. */
  instead: Error | undefined;
  cancelTimeout: Cancel;
  cancelGap: Cancel;
  readonly succeed: (bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}
