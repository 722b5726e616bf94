import type { Channel } from './channel.ts';
import type { ChannelValue, ValueType } from './value-type.ts';

/** Why one channel has no value or was not written; the message names the thing and is shown to clients. */
export interface ChannelFailure {
  /** Stable upper-case code, for example `MODBUS_NO_RESPONSE`. */
  readonly code: string;
  readonly message: string;
  /** What the message says of a cause that lasts, without times that pass meanwhile; absent: all of the message. */
  readonly lasting?: string | undefined;
}

/** What became of one channel in a read or write. */
export type ChannelRecord = ChannelSuccess | ChannelFailureRecord;

interface ChannelSuccess {
  readonly channel: Channel;
  readonly name: string;
  /** In the shape of the channel's value type; after a write, the value asked for. */
  readonly value: ChannelValue;
  /** Milliseconds since the epoch; the device's own time where it gives one. */
  readonly timestampMs: number;
  readonly failure?: undefined;
  readonly asked?: undefined;
}

/** What a write asked for; `value` has the shape of `valueType`, which need not be that of the channel. */
interface AskedValue {
  readonly valueType: ValueType;
  readonly value: ChannelValue;
}

export interface ChannelFailureRecord {
  /** Absent when no channel has that name. */
  readonly channel?: Channel | undefined;
  readonly name: string;
  readonly failure: ChannelFailure;
  /** Milliseconds since the epoch at which the failure was known. */
  readonly timestampMs: number;
  readonly value?: undefined;
  /** Absent after a read. */
  readonly asked?: AskedValue | undefined;
}
