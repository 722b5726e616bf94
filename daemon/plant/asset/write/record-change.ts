import type { ChannelFailure, ChannelRecord } from '../../../channel/channel-record.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';

/**
 * Returns true if a record must be reported after the previous one of its channel: its value is beyond the deadband, its quality
 * or status changed, or the channel fails, fails for a different reason, or no longer fails. A new timestamp alone is not
 * reported.
 *
 * @param deadband maximum change of a number that is not reported, in the unit of the channel
 */
export function mustReport(previous: ChannelRecord, current: ChannelRecord, deadband: number): boolean {
  if (previous.failure !== undefined || current.failure !== undefined) {
    return stableMessageOf(previous.failure) !== stableMessageOf(current.failure);
  }
  if (previous.quality !== current.quality || previous.status !== current.status) return true;
  return isBeyond(previous.value, current.value, deadband);
}

/**
 * Returns the significant records of a sequence: the newest of each channel, and every one of a
 * channel whose device queues its values, in order.
 */
export function selectNewest(records: Iterable<ChannelRecord>): readonly ChannelRecord[] {
  const ofChannels = new Map<string, ChannelRecord[]>();
  for (const record of records) {
    const kept = ofChannels.get(record.name) ?? [];
    // Records after queued values, for example the loss of the device, do not replace them.
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
