import type { FrameDirection, TracedFrame } from '../../daemon/channel/trace/tracing-driver.ts';
import { describeParts } from '../../daemon/channel/trace/tracing-driver.ts';
import { explainFrame } from './pdu/describe-frame.ts';

// The longest frame, in ASCII mode.
const MAXIMUM_BYTES = 513;

/**
 * Returns a function that turns the bytes of a line into frames. A response may arrive in several parts: the last one has the
 * meaning of the whole.
 */
export function createTracer(
  framing: 'MBAP' | 'RTU' | 'ASCII',
  onFrame: (frame: TracedFrame) => void,
): (direction: FrameDirection, bytes: Uint8Array) => void {
  let received = Buffer.alloc(0);
  return (direction, bytes) => {
    const copy = Buffer.from(bytes);
    if (direction === 'SENT') {
      received = Buffer.alloc(0);
      onFrame({ direction, bytes: copy, ...describeParts(explainFrame(framing, direction, copy)) });
      return;
    }
    const own = explainFrame(framing, direction, copy);
    received = Buffer.concat([received, copy]).subarray(-MAXIMUM_BYTES);
    const parts = own.length === 0 ? explainFrame(framing, direction, received) : own;
    if (parts.length > 0) received = Buffer.alloc(0);
    onFrame({ direction, bytes: copy, ...describeParts(parts) });
  };
}
