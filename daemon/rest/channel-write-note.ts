import type { ChannelWrite } from '../asset/asset.ts';
import type { AuditNote } from '../audit/audit-note.ts';
import { describeChannelWrite } from '../audit/channel-write-detail.ts';
import type { ChannelRecord } from '../channel/channel-record.ts';
import { formatValue } from '../channel/value-json.ts';

/**
 * Returns the audit note of a write.
 *
 * @param records the result of each element of `writes`, in the same order; absent: the write failed as a whole
 */
export function noteChannelWrite(
  pid: string,
  writes: readonly ChannelWrite[],
  records?: readonly ChannelRecord[],
): AuditNote {
  const channels = writes.map(({ name, valueType, value }, index) => {
    const record = records?.[index];
    const failureCode = record === undefined ? 'NOT_WRITTEN' : record.failure?.code;
    return { name, value: formatValue(valueType, value), failureCode };
  });
  const isWhole = channels.every(({ failureCode }) => failureCode === undefined);
  const hasEffect = channels.some(({ failureCode }) => failureCode === undefined);
  return {
    outcome: isWhole ? 'SUCCESS' : 'FAILURE',
    hasEffect,
    details: describeChannelWrite(pid, channels),
  };
}
