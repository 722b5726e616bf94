import type { ChannelFailure, ChannelRecord, ConditionChannel } from '../../channel/channel-record.ts';
import type { WriteTerms } from '../../channel/write-terms.ts';

/** Messages for callers that may not read a channel, of failures whose own message tells how far its value is away. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['WRITE_STEP_EXCEEDED', 'the step from the current value exceeds the maximum of the channel'],
  ['WRITE_RATE_EXCEEDED', 'the change is too fast for the channel'],
  ['WRITE_VALUE_CHANGED', 'the current value differs'],
]);

/** Returns whether a caller may read the channel of a condition now. */
export type MayRead = (condition: ConditionChannel) => boolean;

/** Terms of writes as one caller may know them. */
export interface ShownTerms extends WriteTerms {
  /** Number of conditions that are not shown; absent: all of them are. */
  readonly hiddenConditions?: number;
}

/** What a caller learns of a condition on a channel that it may not read. */
export const HIDDEN_CONDITION_MESSAGE = 'a condition of this channel does not hold';

/**
 * Returns terms of writes without the conditions on channels that the caller may not read, which are only counted.
 *
 * @param pid pid of the asset that has the terms
 */
export function showTerms(terms: WriteTerms, pid: string, mayRead: MayRead): ShownTerms {
  const { onlyIf = [], ...rest } = terms;
  const shown = onlyIf.filter(({ asset = pid, channel }) => mayRead({ asset, channel }));
  const hiddenConditions = onlyIf.length - shown.length;
  if (hiddenConditions === 0) return terms;
  return { ...rest, ...(shown.length === 0 ? {} : { onlyIf: shown }), hiddenConditions };
}

/**
 * Returns the record of a write without what it tells of a condition on a channel that the caller may not read. Such a
 * condition fails in the same words whether it does not hold or its value is not known, which depends on that value too.
 */
export function redactCondition(record: ChannelRecord, mayRead: MayRead): ChannelRecord {
  const { failure } = record;
  if (record.failure === undefined || failure?.condition === undefined || mayRead(failure.condition)) {
    return record;
  }
  const untold = { code: 'WRITE_CONDITION_FALSE', message: HIDDEN_CONDITION_MESSAGE } as const;
  return { ...record, failure: untold, hiddenFailure: failure };
}

/** Returns the record of a write without what it tells of the value that the channel holds. */
export function redactCurrentValue(record: ChannelRecord): ChannelRecord {
  const { failure } = record;
  const message = failure === undefined ? undefined : MESSAGES.get(failure.code);
  if (failure === undefined || message === undefined) return { ...record, readBack: undefined };
  const untold: ChannelFailure = { code: failure.code, message };
  return { ...record, failure: untold, readBack: undefined };
}
