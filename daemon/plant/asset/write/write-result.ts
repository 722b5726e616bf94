import { createReason } from '../../../base/fault-reason.ts';
import { createFailure } from '../../../channel/call-failure.ts';
import { PLANT_FAILURES } from '../failure-sentences.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord, TimedValue } from '../../../channel/channel-record.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';
import type { WriteOutcome } from '../../../channel/write-step.ts';
import type { ChannelWrite, PreparedWrite } from './prepared-write.ts';
import { ConversionFault, createScaling } from '../scaling.ts';
import type { ReadBack } from './write-verification.ts';

/** Result of one write; without failure and outcome it would be sent. */
export interface WriteResult {
  readonly outcome?: WriteOutcome;
  readonly isVerified?: boolean;
  /** Value that was or would be sent, as written by clients; undefined: none. */
  readonly sent?: ChannelValue | undefined;
  readonly readBack?: ChannelValue | undefined;
  /** Value before the write, if known. */
  readonly before?: TimedValue | undefined;
}

export const UNANSWERED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver returned no outcome' };
const UNCONFIRMED: ChannelFailure = createFailure(
  'WRITE_UNCONFIRMED',
  createReason(PLANT_FAILURES, 'WRITE_SENT_UNCONFIRMED', {}),
);

/**
 * Returns the record of a write.
 *
 * @param channel undefined if the name is unknown
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
  const returned = outcome?.failure === undefined ? outcome?.returned : undefined;
  const value = returned ?? (isSent ? result.sent : requested);
  const isOther = (isSent || returned !== undefined) && value !== requested && !Object.is(value, requested);
  const details = {
    ...(isOther ? { requested } : {}),
    ...(readBack === undefined ? {} : { readBack }),
    ...(before === undefined ? {} : { before }),
    ...(isDryRun ? { isDryRun } : {}),
    ...(outcome?.failure === undefined && outcome?.isWholeStructure === true
      ? { isWholeStructure: true as const }
      : {}),
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

/** True if a write may still be carried out; without any confirmations this does not affect the next write. */
export function isOpen(outcome: WriteOutcome): boolean {
  if (outcome.failure === undefined) return false;
  return outcome.outcome === 'UNKNOWN' && outcome.failure !== UNCONFIRMED;
}

/** Returns the channel value before a write; a write of bits may have read the others of their register. */
export function findBefore(
  { channel, factor }: PreparedWrite,
  outcome: WriteOutcome,
): TimedValue | undefined {
  if (outcome.failure !== undefined || outcome.before === undefined) return undefined;
  const { before, timestampMs } = outcome;
  const value = createScaling(channel).toValue(before, factor);
  return value instanceof ConversionFault ? undefined : { value, timestampMs };
}

/** True if the write certainly changed nothing on the device. */
export function hasChangedNothing(outcome: WriteOutcome): boolean {
  if (outcome.failure === undefined || outcome.outcome === 'UNKNOWN') return false;
  return outcome.taken === undefined;
}

/** Returns the value that the device reported instead of the value that was sent. */
export function findTaken(
  { channel, factor }: PreparedWrite,
  outcome: WriteOutcome,
): ChannelValue | undefined {
  if (outcome.failure === undefined || outcome.outcome !== 'REFUSED') return undefined;
  if (outcome.taken?.value === undefined) return undefined;
  const value = createScaling(channel).toValue(outcome.taken.value, factor);
  return value instanceof ConversionFault ? undefined : value;
}

/** Returns an outcome for clients: an unconfirmed write has an unknown outcome. */
export function toKnown(outcome: WriteOutcome): WriteOutcome {
  if (outcome.isUnconfirmed !== true) return outcome;
  return { failure: UNCONFIRMED, outcome: 'UNKNOWN', timestampMs: outcome.timestampMs };
}

/** Returns the result of a write whose channel was read back. */
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
  if (isAsWritten) {
    const isWholeStructure = outcome.failure === undefined ? outcome.isWholeStructure : undefined;
    const verified = { timestampMs: found.timestampMs, ...(isWholeStructure ? { isWholeStructure } : {}) };
    return { outcome: verified, isVerified: true, readBack: value };
  }
  // The device may still carry out an unconfirmed write; one that applied a different value is done.
  if (!isAnswered) return { outcome, readBack: value };
  const reason = createReason(PLANT_FAILURES, 'READ_BACK_OTHER', {});
  const failure = createFailure('WRITE_READ_BACK_DIFFERS', reason);
  return { outcome: { failure, outcome: 'REFUSED', timestampMs: found.timestampMs }, readBack: value };
}

// Confirmed or not: a value that is not visible yet proves nothing before the end of its time.
function resolveCutShort(write: PreparedWrite, outcome: WriteOutcome, found: ReadBack): WriteResult {
  if (found.failure !== undefined) return { outcome: toKnown(outcome), readBack: findTaken(write, outcome) };
  const { value: readBack } = found;
  if (outcome.failure !== undefined) return { outcome, readBack };
  const failure = createFailure('WRITE_NOT_VERIFIED', createReason(PLANT_FAILURES, 'READ_BACK_ENDED', {}));
  return { outcome: { failure, outcome: 'UNKNOWN', timestampMs: outcome.timestampMs }, readBack };
}
