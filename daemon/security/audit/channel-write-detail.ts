import type { AuditDetail } from './audit-event.ts';

/** The result of one element of a write. */
interface WrittenChannel {
  readonly name: string;
  /** The value that was sent, else the one asked for, as text. */
  readonly value: string;
  /** The value asked for, as text, where another one was sent. */
  readonly requested?: string | undefined;
  /** The value that the channel holds after the write, as text, where it was read back and is another one. */
  readonly readBack?: string | undefined;
  /** What the channel held before, as text; undefined when it is not known. */
  readonly before?: { readonly value: string; readonly timestampMs: number } | undefined;
  /** Code of the failure; undefined when the device took the value. */
  readonly failureCode?: string | undefined;
  /** The condition that stopped the write, in words; undefined when another cause did. */
  readonly condition?: string | undefined;
}

/** Elements that one event holds. */
export const CHANNELS_PER_EVENT = 16;
/** Elements that are listed; of a longer write only the numbers are told. */
export const CHANNELS_LISTED = 1024;

const NAME_LENGTH = 64;
const VALUE_LENGTH = 64;
const CONDITION_LENGTH = 200;

/**
 * Describes a write for the audit log, which makes its text safe: a detail for every {@link CHANNELS_PER_EVENT} elements,
 * so that none is left out of a large one.
 *
 * Each has the pid, the number of elements and of failures in the whole write, and one entry per element, named like the
 * place in the request: `channels[0]` is `SUCCESS flowTemp 21.5` or `FAILURE MODBUS_NO_RESPONSE flowTemp 21.5`, with
 * `, requested 21.53` where another value was asked for than the one that was sent, and `, read back 20` where the device holds
 * another one. Where it is known, `before[0]` is the value that it took the place of, and when that was read:
 * `20.5 at 2026-03-01T08:00:00.000Z`. Where a condition stopped it, `condition[0]` tells which, and why it does not hold.
 *
 * @returns at least one detail, also for a write of nothing
 */
export function describeChannelWrite(
  pid: string,
  channels: readonly WrittenChannel[],
): readonly AuditDetail[] {
  const failed = channels.filter(({ failureCode }) => failureCode !== undefined).length;
  const head = { asset: pid, channels: channels.length, failed };
  const listed = channels.slice(0, CHANNELS_LISTED).map(describe);
  const details: AuditDetail[] = [];
  for (let start = 0; start === 0 || start < listed.length; start += CHANNELS_PER_EVENT) {
    details.push(
      Object.assign({ ...head }, ...listed.slice(start, start + CHANNELS_PER_EVENT)) as AuditDetail,
    );
  }
  return details;
}

function describe(channel: WrittenChannel, index: number): AuditDetail {
  const { name, value, requested, readBack, failureCode } = channel;
  const outcome = failureCode === undefined ? 'SUCCESS' : `FAILURE ${failureCode}`;
  const text = `${outcome} ${cut(name, NAME_LENGTH)} ${cut(value, VALUE_LENGTH)}`;
  const asked = requested === undefined ? '' : `, requested ${cut(requested, VALUE_LENGTH)}`;
  const held = readBack === undefined ? '' : `, read back ${cut(readBack, VALUE_LENGTH)}`;
  return {
    [`channels[${index}]`]: `${text}${asked}${held}`,
    // An event has no room for both, and what a condition stopped has taken the place of nothing.
    ...(channel.condition === undefined ? describeBefore(channel, index) : describeCondition(channel, index)),
  };
}

function describeBefore({ before }: WrittenChannel, index: number): AuditDetail {
  if (before === undefined) return {};
  // Some devices tell times that are none.
  const at = new Date(before.timestampMs);
  const when = Number.isNaN(at.getTime()) ? '' : ` at ${at.toISOString()}`;
  return { [`before[${index}]`]: `${cut(before.value, VALUE_LENGTH)}${when}` };
}

function describeCondition({ condition }: WrittenChannel, index: number): AuditDetail {
  return condition === undefined ? {} : { [`condition[${index}]`]: cut(condition, CONDITION_LENGTH) };
}

function cut(text: string, maximumLength: number): string {
  return text.length <= maximumLength ? text : `${text.slice(0, maximumLength - 1)}…`;
}
