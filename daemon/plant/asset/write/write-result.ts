import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord, TimedValue } from '../../../channel/channel-record.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { WriteOutcome } from '../../../channel/write-step.ts';
import type { ChannelWrite, PreparedWrite } from './prepared-write.ts';
import { ConversionFault, createScaling } from '../scaling.ts';
import type { ReadBack } from './write-verification.ts';

/** What became of one write; with neither failure nor outcome it would be sent. */
export interface WriteResult {
  readonly outcome?: WriteOutcome;
  readonly isVerified?: boolean;
  /** What was sent, or would be, as a client would write it; undefined: nothing. */
  readonly sent?: ChannelValue | undefined;
  readonly readBack?: ChannelValue | undefined;
  /** What the channel held before, as far as it is known. */
  readonly before?: TimedValue | undefined;
}

export const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver returned no outcome' };
const UNCONFIRMED: ChannelFailure = {
  code: 'WRITE_UNCONFIRMED',
  message: 'sent, but the device sends no confirmation; outcome unknown',
};

/**
 * Returns the record of a write.
 *
 * @param channel undefined when there is none of that name
 * @param nowMs milliseconds since the epoch
 */
export function toWriteRecord(
  { name, valueType, value: requested }: ChannelWrite,
  result: WriteResult,
  { channel, isDryRun, nowMs }: { channel: Channel | undefined; isDryRun: boolean; nowMs: number },
): ChannelRecord {
  const { outcome, isVerified = false, readBack, before } = result;
  const isNotSent = outcome?.failure !== undefined && outcome.outcome === 'NOT_SENT';
  const isSent = result.sent !== undefined && !isNotSent;
  const value = isSent ? result.sent : requested;
  const isOther = isSent && value !== requested && !Object.is(value, requested);
  const details = {
    ...(isOther ? { requested } : {}),
    ...(readBack === undefined ? {} : { readBack }),
    ...(before === undefined ? {} : { before }),
    ...(isDryRun ? { isDryRun } : {}),
  };
  if (outcome?.failure !== undefined) {
    const { failure, outcome: what, timestampMs } = outcome;
    return { channel, name, failure, timestampMs, asked: { valueType, value }, outcome: what, ...details };
  }
  if (channel === undefined) throw new RangeError(`unknown channel "${name}"`);
  const timestampMs = outcome?.timestampMs ?? nowMs;
  if (outcome === undefined) return { channel, name, value, timestampMs, ...details };
  return {
    channel,
    name,
    value,
    timestampMs,
    outcome: isVerified ? 'VERIFIED' : 'ACKNOWLEDGED',
    ...details,
  };
}

/** Whether a write may still be carried out; where nothing ever confirms one, the next is not worse off. */
export function isOpen(outcome: WriteOutcome): boolean {
  if (outcome.failure === undefined) return false;
  return outcome.outcome === 'UNKNOWN' && outcome.failure !== UNCONFIRMED;
}

/** Returns what the channel of a write held before; a write of bits may have read the others of their register. */
export function findBefore({ channel }: PreparedWrite, outcome: WriteOutcome): TimedValue | undefined {
  if (outcome.failure !== undefined || outcome.before === undefined) return undefined;
  const { before, timestampMs } = outcome;
  const value = createScaling(channel).toValue(before);
  return value instanceof ConversionFault ? undefined : { value, timestampMs };
}

/** Whether the device holds what it held before the write. */
export function hasChangedNothing(outcome: WriteOutcome): boolean {
  if (outcome.failure === undefined || outcome.outcome === 'UNKNOWN') return false;
  return outcome.taken === undefined;
}

/** Returns what the channel of a write holds by the word of its device, instead of the value that was sent. */
export function findTaken({ channel }: PreparedWrite, outcome: WriteOutcome): ChannelValue | undefined {
  if (outcome.failure === undefined || outcome.outcome !== 'REFUSED') return undefined;
  if (outcome.taken?.value === undefined) return undefined;
  const value = createScaling(channel).toValue(outcome.taken.value);
  return value instanceof ConversionFault ? undefined : value;
}

/** Returns an outcome as clients see it: a write that nothing confirmed has an outcome that is not known. */
export function toKnown(outcome: WriteOutcome): WriteOutcome {
  if (outcome.isUnconfirmed !== true) return outcome;
  return { failure: UNCONFIRMED, outcome: 'UNKNOWN', timestampMs: outcome.timestampMs };
}

/** Returns what became of a write whose channel was read after it. */
export function resolveReadBack(write: PreparedWrite, outcome: WriteOutcome, found: ReadBack): WriteResult {
  const { timestampMs } = outcome;
  if (found.isCutShort) return resolveCutShort(write, outcome, found);
  const isAnswered = outcome.failure === undefined || outcome.taken !== undefined;
  if (found.failure !== undefined) {
    if (outcome.failure !== undefined) return { outcome, readBack: findTaken(write, outcome) };
    const reason = found.failure.message;
    const message = `sent, but the value cannot be read back: ${reason}; outcome unknown`;
    const failure = { code: 'WRITE_NOT_VERIFIED', message } as const;
    return { outcome: { failure, outcome: 'UNKNOWN', timestampMs } };
  }
  const { isAsWritten, value } = found;
  if (isAsWritten) return { outcome: { timestampMs: found.timestampMs }, isVerified: true, readBack: value };
  // The device may still carry out what it did not confirm; one that took another value is done with it.
  if (!isAnswered) return { outcome, readBack: value };
  const message = 'the value read back differs from the value written';
  const failure = { code: 'WRITE_READ_BACK_DIFFERS', message } as const;
  return { outcome: { failure, outcome: 'REFUSED', timestampMs: found.timestampMs }, readBack: value };
}

// The device confirmed the write or not; that it does not show the value yet says nothing while its time is not over.
function resolveCutShort(write: PreparedWrite, outcome: WriteOutcome, found: ReadBack): WriteResult {
  if (found.failure !== undefined) return { outcome: toKnown(outcome), readBack: findTaken(write, outcome) };
  const { value: readBack } = found;
  if (outcome.failure !== undefined) return { outcome, readBack };
  const message = 'sent, but the request ended before the device showed the value; outcome unknown';
  const failure = { code: 'WRITE_NOT_VERIFIED', message } as const;
  return { outcome: { failure, outcome: 'UNKNOWN', timestampMs: outcome.timestampMs }, readBack };
}
