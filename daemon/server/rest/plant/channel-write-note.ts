import type { ChannelWrite } from '../../../plant/asset/write/prepared-write.ts';
import type { AuditAnnotation } from '../../../security/audit/audit-annotation.ts';
import { describeChannelWrite } from '../../../security/audit/channel-write-detail.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import { formatValue } from '../../../channel/value-json.ts';

// Of a write, or the trial of one, that failed as a whole.
const NOT_WRITTEN = { code: 'NOT_WRITTEN' };

/**
 * Returns the audit note of a write, or of the trial of one: a success when every value was written, or would be sent.
 *
 * @param records the result of each element of `writes`, in the same order; absent: the write failed as a whole
 */
export function noteChannelWrite(
  pid: string,
  writes: readonly ChannelWrite[],
  records?: readonly ChannelRecord[],
): AuditAnnotation {
  const channels = writes.map(({ name, valueType, value }, index) => {
    const record = records?.[index];
    const isDone = record?.outcome !== undefined || record?.isDryRun === true;
    const failureCode = record?.failure?.code ?? (isDone ? undefined : NOT_WRITTEN.code);
    const { condition, message, reasons } = record?.failure ?? {};
    return {
      name,
      value: formatValue(valueType, record?.value ?? record?.asked?.value ?? value),
      ...formatOthers(record),
      before: formatBefore(record),
      failureCode,
      ...(condition === undefined ? {} : { condition: message, reasons }),
    };
  });
  const isWhole = channels.every(({ failureCode }) => failureCode === undefined);
  // What may have been carried out counts as well.
  const hasEffect = (records ?? []).some(({ outcome }) => outcome !== undefined && outcome !== 'NOT_SENT');
  return {
    outcome: isWhole ? 'SUCCESS' : 'FAILURE',
    hasEffect,
    details: describeChannelWrite(pid, channels),
  };
}

/** Returns the values of a write that are not the one that was sent. */
function formatOthers(record: ChannelRecord | undefined): { requested?: string; readBack?: string } {
  const { channel, requested, readBack, failure } = record ?? {};
  if (channel === undefined) return {};
  const { valueType } = channel;
  return {
    ...(requested === undefined ? {} : { requested: formatValue(valueType, requested) }),
    // Of a success it is the value that was sent.
    ...(readBack === undefined || failure === undefined
      ? {}
      : { readBack: formatValue(valueType, readBack) }),
  };
}

function formatBefore(record: ChannelRecord | undefined): { value: string; timestampMs: number } | undefined {
  const { channel, before } = record ?? {};
  if (channel === undefined || before === undefined) return undefined;
  return { value: formatValue(channel.valueType, before.value), timestampMs: before.timestampMs };
}
