import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';

/**
 * Returns whether a record is news after the previous one of its channel: its value lies beyond the deadband, its quality
 * or status is another one, or the channel fails, fails for another reason, or no longer fails. A new timestamp alone is not
 * news.
 *
 * @param deadband largest change of a number that is not reported, in the unit of the channel
 */
export function mustReport(previous: ChannelRecord, current: ChannelRecord, deadband: number): boolean {
  if (previous.failure !== undefined || current.failure !== undefined) {
    return stableMessageOf(previous.failure) !== stableMessageOf(current.failure);
  }
  if (previous.quality !== current.quality || previous.status !== current.status) return true;
  return isBeyond(previous.value, current.value, deadband);
}

/**
 * Returns the records that count of those that came one after another: of each channel the newest, and every one of a
 * channel whose device queues its values, in their order.
 */
export function selectNewest(records: Iterable<ChannelRecord>): readonly ChannelRecord[] {
  const ofChannels = new Map<string, ChannelRecord[]>();
  for (const record of records) {
    const kept = ofChannels.get(record.name) ?? [];
    // What follows values that were queued, as the loss of the device does, does not replace them.
    if (record.isQueued !== true && kept.at(-1)?.isQueued !== true) kept.pop();
    kept.push(record);
    ofChannels.set(record.name, kept);
  }
  return [...ofChannels.values()].flat();
}

function stableMessageOf(failure: ChannelFailure | undefined): string | undefined {
  return failure?.stableMessage ?? failure?.message;
}

function isBeyond(previous: ChannelValue, current: ChannelValue, deadband: number): boolean {
  if (typeof previous === 'number' && typeof current === 'number') {
    // Here NaN equals NaN, and each infinity equals itself.
    if (Object.is(previous, current) || previous === current) return false;
    return !(Math.abs(current - previous) <= deadband);
  }
  if (typeof previous === 'bigint' && typeof current === 'bigint') {
    // JavaScript compares a bigint with a number exactly, without rounding to a double.
    return (current > previous ? current - previous : previous - current) > deadband;
  }
  if (typeof previous === 'object' && typeof current === 'object') {
    return Buffer.compare(previous, current) !== 0;
  }
  return previous !== current;
}
