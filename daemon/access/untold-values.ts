import type { ChannelFailure, ChannelRecord } from '../channel/channel-record.ts';

/** Messages for callers that may not read a channel, of failures whose own message tells how far its value is away. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['WRITE_STEP_EXCEEDED', 'the step from the present value is larger than the channel allows'],
  ['WRITE_RATE_EXCEEDED', 'the change is too fast for the channel'],
  ['WRITE_VALUE_CHANGED', 'the present value is another one'],
]);

/** Returns the record of a write without what it tells of the value that the channel holds. */
export function withoutPresentValue(record: ChannelRecord): ChannelRecord {
  const { failure } = record;
  const message = failure === undefined ? undefined : MESSAGES.get(failure.code);
  if (failure === undefined || message === undefined) return { ...record, readBack: undefined };
  const untold: ChannelFailure = { code: failure.code, message };
  return { ...record, failure: untold, readBack: undefined };
}
