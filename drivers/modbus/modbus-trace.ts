import type { FrameDirection, TracedFrame } from '../../daemon/channel/trace/tracing-driver.ts';
import { describeFrame } from './pdu/describe-frame.ts';

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
      onFrame({ direction, bytes: copy, meaning: describeFrame(framing, direction, copy) });
      return;
    }
    const own = describeFrame(framing, direction, copy);
    received = Buffer.concat([received, copy]).subarray(-MAXIMUM_BYTES);
    const meaning = own === '' ? describeFrame(framing, direction, received) : own;
    if (meaning !== '') received = Buffer.alloc(0);
    onFrame({ direction, bytes: copy, meaning });
  };
}
