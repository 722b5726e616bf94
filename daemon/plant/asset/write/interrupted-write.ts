import { createUnknownOutcome } from '../../../channel/call-failure.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChannelWrite } from './prepared-write.ts';

/**
 * Returns the records of a write that an earlier run of the gateway may have carried out, fully or partly.
 *
 * @param timestampMs milliseconds since the epoch
 */
export function recordInterruptedWrite(
  writes: readonly ChannelWrite[],
  timestampMs: number,
): readonly ChannelRecord[] {
  const reason = 'the gateway stopped before the outcome of the write was known and does not repeat it';
  const failure = createUnknownOutcome('WRITE_INTERRUPTED', reason);
  return writes.map(({ name, valueType, value }) => ({
    name,
    failure,
    outcome: 'UNKNOWN',
    timestampMs,
    asked: { valueType, value },
  }));
}
