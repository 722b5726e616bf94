import type { FaultReason } from '../../base/fault-reason.ts';
import type { AuditDetail } from './audit-event.ts';

/** Result of one element of a write. */
interface WrittenChannel {
  readonly name: string;
  /** Value sent, otherwise the requested value, as text. */
  readonly value: string;
  /** Requested value as text, if it differs from the value sent. */
  readonly requested?: string | undefined;
  /** Read-back value as text, if it differs from the value sent. */
  readonly readBack?: string | undefined;
  /** Previous value of the channel as text; undefined if unknown. */
  readonly before?: { readonly value: string; readonly timestampMs: number } | undefined;
  /** Failure code; undefined if the device accepted the value. */
  readonly failureCode?: string | undefined;
  /** Description of the condition that stopped the write; undefined for other causes. */
  readonly condition?: string | undefined;
  /** Its sentences with their codes; undefined: one has none. */
  readonly reasons?: readonly FaultReason[] | undefined;
}

/** Maximum elements of one event. */
export const CHANNELS_PER_EVENT = 16;
/** Maximum listed elements; the rest of a longer write is only counted. */
export const CHANNELS_LISTED = 1024;

// Two for each of sixteen elements; one with a condition may have three.
const ENTRIES_PER_EVENT = 2 * CHANNELS_PER_EVENT;
const NAME_LENGTH = 64;
const VALUE_LENGTH = 64;
const CONDITION_LENGTH = 200;

/**
 * Describes a write for the audit log: one detail for up to {@link CHANNELS_PER_EVENT} elements each, so that large writes are
 * complete. The audit log makes the texts safe.
 *
 * Each detail contains the pid, the number of elements and failures of the whole write, and one entry per element, named after its
 * position in the request. `channels[0]` is `SUCCESS flowTemp 21.5` or `FAILURE MODBUS_NO_RESPONSE flowTemp 21.5`, with
 * `, requested 21.53` if the value sent differs from the requested one, and `, read back 20` if the device has another value.
 * `before[0]` is the previous value, if known, and its read time: `20.5 at 2026-03-01T08:00:00.000Z`. `condition[0]`
 * describes the condition that stopped the element and why it is not met; `reasons[0]` has its sentences with their codes.
 *
 * @returns at least one detail, even for an empty write
 */
export function describeChannelWrite(
  pid: string,
  channels: readonly WrittenChannel[],
): readonly AuditDetail[] {
  const failed = channels.filter(({ failureCode }) => failureCode !== undefined).length;
  const head = { asset: pid, channels: channels.length, failed };
  const listed = channels.slice(0, CHANNELS_LISTED).map(describe);
  const details: AuditDetail[] = [];
  for (let start = 0; start === 0 || start < listed.length;) {
    const part = takePart(listed, start);
    details.push(Object.assign({ ...head }, ...part) as AuditDetail);
    start += Math.max(part.length, 1);
  }
  return details;
}

/** Returns the elements from `start` on that fit into one event. */
function takePart(listed: readonly AuditDetail[], start: number): readonly AuditDetail[] {
  let entries = 0;
  const part = listed.slice(start, start + CHANNELS_PER_EVENT);
  const end = part.findIndex((element) => (entries += Object.keys(element).length) > ENTRIES_PER_EVENT);
  return end === -1 ? part : part.slice(0, end);
}

function describe(channel: WrittenChannel, index: number): AuditDetail {
  const { name, value, requested, readBack, failureCode, condition, reasons } = channel;
  const outcome = failureCode === undefined ? 'SUCCESS' : `FAILURE ${failureCode}`;
  const text = `${outcome} ${cut(name, NAME_LENGTH)} ${cut(value, VALUE_LENGTH)}`;
  const asked = requested === undefined ? '' : `, requested ${cut(requested, VALUE_LENGTH)}`;
  const held = readBack === undefined ? '' : `, read back ${cut(readBack, VALUE_LENGTH)}`;
  return {
    [`channels[${index}]`]: `${text}${asked}${held}`,
    // An event has no space for both; an element that a condition stopped has replaced no value.
    ...(condition === undefined
      ? describeBefore(channel, index)
      : describeCondition({ condition, reasons }, index)),
  };
}

function describeBefore({ before }: WrittenChannel, index: number): AuditDetail {
  if (before === undefined) return {};
  // Some devices report invalid times.
  const at = new Date(before.timestampMs);
  const when = Number.isNaN(at.getTime()) ? '' : ` at ${at.toISOString()}`;
  return { [`before[${index}]`]: `${cut(before.value, VALUE_LENGTH)}${when}` };
}

function describeCondition(
  { condition, reasons }: { readonly condition: string; readonly reasons: WrittenChannel['reasons'] },
  index: number,
): AuditDetail {
  return {
    [`condition[${index}]`]: cut(condition, CONDITION_LENGTH),
    ...(reasons === undefined ? {} : { [`reasons[${index}]`]: reasons }),
  };
}

function cut(text: string, maximumLength: number): string {
  return text.length <= maximumLength ? text : `${text.slice(0, maximumLength - 1)}…`;
}
