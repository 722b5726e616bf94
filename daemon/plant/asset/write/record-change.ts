import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';

/**
 * Returns whether a record is news after the previous one of its channel: its value lies beyond the deadband, its quality
 * or status is another one, or the channel fails, fails for another reason, or no longer fails. A new timestamp alone is not
 * news.
 *
 * @param deadband largest change of a number that is not reported, in the unit of the channel
 */
export function isNews(previous: ChannelRecord, present: ChannelRecord, deadband: number): boolean {
  if (previous.failure !== undefined || present.failure !== undefined) {
    return lastingOf(previous.failure) !== lastingOf(present.failure);
  }
  if (previous.quality !== present.quality || previous.status !== present.status) return true;
  return isBeyond(previous.value, present.value, deadband);
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

function lastingOf(failure: ChannelFailure | undefined): string | undefined {
  return failure?.lasting ?? failure?.message;
}

function isBeyond(previous: ChannelValue, present: ChannelValue, deadband: number): boolean {
  if (typeof previous === 'number' && typeof present === 'number') {
    // Here NaN equals NaN, and each infinity equals itself.
    if (Object.is(previous, present) || previous === present) return false;
    return !(Math.abs(present - previous) <= deadband);
  }
  if (typeof previous === 'bigint' && typeof present === 'bigint') {
    // JavaScript compares a bigint with a number exactly, without rounding to a double.
    return (present > previous ? present - previous : previous - present) > deadband;
  }
  if (typeof previous === 'object' && typeof present === 'object') {
    return Buffer.compare(previous, present) !== 0;
  }
  return previous !== present;
}
