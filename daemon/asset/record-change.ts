import type { ChannelFailure, ChannelRecord } from '../channel/channel-record.ts';
import type { ChannelValue } from '../channel/value-type.ts';

/**
 * Decides whether a record is news to somebody who knows the former one of its channel: its value lies beyond the
 * deadband, or it fails, fails for another reason, or fails no longer. Time alone is no news.
 *
 * @param deadband how far a number may move unnoticed, in the unit of the channel; 0: not at all
 */
export function isNews(former: ChannelRecord, present: ChannelRecord, deadband: number): boolean {
  if (former.failure !== undefined || present.failure !== undefined) {
    return lastingOf(former.failure) !== lastingOf(present.failure);
  }
  return isBeyond(former.value, present.value, deadband);
}

function lastingOf(failure: ChannelFailure | undefined): string | undefined {
  return failure?.lasting ?? failure?.message;
}

function isBeyond(former: ChannelValue, present: ChannelValue, deadband: number): boolean {
  if (typeof former === 'number' && typeof present === 'number') {
    // NaN is the same as NaN here, and each infinity the same as itself.
    if (Object.is(former, present) || former === present) return false;
    return !(Math.abs(present - former) <= deadband);
  }
  if (typeof former === 'bigint' && typeof present === 'bigint') {
    // The language compares a bigint with a number exactly, without a detour through a double.
    return (present > former ? present - former : former - present) > deadband;
  }
  if (typeof former === 'object' && typeof present === 'object') {
    return Buffer.compare(former, present) !== 0;
  }
  return former !== present;
}
