import type { ChannelFailure, ChannelRecord, ConditionChannel } from '../../channel/channel-record.ts';
import type { WriteTerms } from '../../channel/write-terms.ts';

/** Replacement messages for write-only callers: the originals reveal the current value. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['WRITE_STEP_EXCEEDED', 'the step from the current value exceeds the maximum of the channel'],
  ['WRITE_RATE_EXCEEDED', 'the change is too fast for the channel'],
  ['WRITE_VALUE_CHANGED', 'the current value differs'],
]);

/** Returns true if the caller may currently read the channel of a condition. */
export type MayRead = (condition: ConditionChannel) => boolean;

/** Write terms as shown to one caller. */
export interface ShownTerms extends WriteTerms {
  /** Number of hidden conditions; absent: none. */
  readonly hiddenConditions?: number;
}

/** Message for a false condition on a channel that the caller may not read. */
export const HIDDEN_CONDITION_MESSAGE = 'a condition of this channel does not hold';

/**
 * Returns write terms without the conditions on channels that the caller may not read; these are only counted.
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
 * Redacts a failed condition in a write record if the caller may not read its channel. Such a
 * condition has one message if it is false and if its value is unknown, because that depends on the value as well.
 */
export function redactCondition(record: ChannelRecord, mayRead: MayRead): ChannelRecord {
  const { failure } = record;
  if (record.failure === undefined || failure?.condition === undefined || mayRead(failure.condition)) {
    return record;
  }
  const redacted = { code: 'WRITE_CONDITION_FALSE', message: HIDDEN_CONDITION_MESSAGE } as const;
  return { ...record, failure: redacted, hiddenFailure: failure };
}

/** Redacts everything in a write record that reveals the current value. */
export function redactCurrentValue(record: ChannelRecord): ChannelRecord {
  const { failure } = record;
  const message = failure === undefined ? undefined : MESSAGES.get(failure.code);
  if (failure === undefined || message === undefined) return { ...record, readBack: undefined };
  const redacted: ChannelFailure = { code: failure.code, message };
  return { ...record, failure: redacted, readBack: undefined };
}
