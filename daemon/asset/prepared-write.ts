import { isWritable } from '../channel/channel.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelFailure } from '../channel/channel-record.ts';
import type { ChannelValue, ValueType } from '../channel/value-type.ts';
import { describeUnknownChannel } from './channel-slot.ts';
import { ConversionFault, createScaling, createWriteScaling } from './scaling.ts';
import { findLimitFailure } from './write-limits.ts';

/** One value to write; `value` has the shape of `valueType`. */
export interface ChannelWrite {
  readonly name: string;
  readonly valueType: ValueType;
  readonly value: ChannelValue;
  /** The value that the channel has to hold for the write to be sent, in the shape of `valueType`. */
  readonly ifValue?: ChannelValue | undefined;
  /** See `WriteRequest`; asked before anything is read for the write as well. */
  readonly findWithdrawal?: (() => ChannelFailure | undefined) | undefined;
}

/** A value that may be sent, as far as no device has to be asked for that. */
export interface PreparedWrite {
  readonly channel: Channel;
  /** As the device takes it. */
  readonly raw: ChannelValue;
  /** In the unit of the channel, as it is read back. */
  readonly value: ChannelValue;
  readonly ifValue: ChannelValue | undefined;
  readonly findWithdrawal: ChannelWrite['findWithdrawal'];
}

/** Decides whether a value may be sent to a channel, without any I/O; `scaleOnWrite` as that of the asset. */
export function prepareWrite(
  channel: Channel | undefined,
  { name, valueType, value, ifValue, findWithdrawal }: ChannelWrite,
  scaleOnWrite: boolean,
): PreparedWrite | ChannelFailure {
  if (channel === undefined) return describeUnknownChannel(name);
  if (!channel.isEnabled) return { code: 'CHANNEL_DISABLED', message: `channel "${name}" is disabled` };
  if (!isWritable(channel)) {
    return { code: 'CHANNEL_NOT_WRITABLE', message: `channel "${name}" can only be read` };
  }
  if (channel.valueType !== valueType) {
    const message = `channel "${name}" has type ${channel.valueType}, not ${valueType}`;
    return { code: 'VALUE_TYPE_MISMATCH', message };
  }
  if (ifValue !== undefined && channel.type !== 'READ_WRITE') {
    const message = `channel "${name}" can only be written; its value cannot be compared`;
    return { code: 'CHANNEL_NOT_READABLE', message };
  }
  const raw = createWriteScaling(channel, scaleOnWrite).toRaw(value);
  if (raw instanceof ConversionFault) return { code: raw.code, message: raw.message };
  // A raw value that is written as it is has a unit only when it is read.
  const read = scaleOnWrite ? value : createScaling(channel).toValue(value);
  if (read instanceof ConversionFault) return { code: read.code, message: read.message };
  const failure = channel.write === undefined ? undefined : findLimitFailure(channel.write, read);
  return failure ?? { channel, raw, value: read, ifValue, findWithdrawal };
}

/** Whether the write depends on values that have to be read, or is followed by a read. */
export function isConditional({ channel: { write }, ifValue }: PreparedWrite): boolean {
  if (ifValue !== undefined) return true;
  if (write === undefined) return false;
  const { maximumStep, maximumChangePerSecond, verify, onlyIf = [] } = write;
  const isChecked = [maximumStep, maximumChangePerSecond, verify].some((term) => term !== undefined);
  return isChecked || onlyIf.length > 0;
}
