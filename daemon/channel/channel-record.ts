import type { ErrorCode } from '../base/error-codes.ts';
import type { Channel } from './channel.ts';
import type { DoneWriteOutcome, FailedWriteOutcome } from './write-outcome.ts';
import type { ValueQuality } from './quality.ts';
import type { ChannelValue, ValueType } from './value-type.ts';

/** Why one channel has no value or was not written; the message names the thing and is shown to clients. */
export interface ChannelFailure {
  /** Stable upper-case code, for example `MODBUS_NO_RESPONSE`. */
  readonly code: ErrorCode;
  readonly message: string;
  /** The part of the message that stays the same while the cause lasts, without times; absent: the whole message. */
  readonly stableMessage?: string | undefined;
  /** The answer of the device in the words of its protocol, for example `BadOutOfService`; absent: it gave none. */
  readonly status?: string | undefined;
  /** The channel whose value stopped a write as a condition; absent: the cause is another one. */
  readonly condition?: ConditionChannel | undefined;
}

/** The channel on which a write depends. */
export interface ConditionChannel {
  /** Pid of its asset. */
  readonly asset: string;
  readonly channel: string;
}

/** A value that a channel held, in the shape of its value type. */
export interface TimedValue {
  readonly value: ChannelValue;
  /** Milliseconds since the epoch at which it was read. */
  readonly timestampMs: number;
}

/** The result of a read or write for one channel. */
export type ChannelRecord = (ChannelSuccess | ChannelFailureRecord) & {
  /** What the channel held before a write, as it was last read; for the audit alone. Absent: it is not known. */
  readonly before?: TimedValue | undefined;
  /** The true cause of a failure that is not shown to the caller; for the audit alone. */
  readonly hiddenFailure?: ChannelFailure | undefined;
  /** What a write asked for, where the value that was sent is another one; in the shape of the value type of the channel. */
  readonly requested?: ChannelValue | undefined;
  /** The device queues the values of the channel for listeners: each of them counts, not only the newest. */
  readonly isQueued?: boolean | undefined;
};

interface ChannelSuccess {
  readonly channel: Channel;
  readonly name: string;
  /** In the shape of the channel's value type; after a write, the value that was sent, as the device gives it back. */
  readonly value: ChannelValue;
  /** Milliseconds since the epoch; the device's own time where it gives one. */
  readonly timestampMs: number;
  /** Absent after a write. */
  readonly quality?: ValueQuality | undefined;
  /** See `Reading`. */
  readonly status?: string | undefined;
  readonly failure?: undefined;
  readonly asked?: undefined;
  /** Absent after a read, and after a trial of a write. */
  readonly outcome?: DoneWriteOutcome | undefined;
  readonly readBack?: ChannelValue | undefined;
  /** The write was tried without being sent: it would have been. */
  readonly isDryRun?: boolean | undefined;
}

/** The value of a write: the one that was sent, else the one asked for; `value` has the shape of `valueType`, which need not be that of the channel. */
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
  readonly quality?: undefined;
  readonly status?: undefined;
  /** Absent after a read. */
  readonly asked?: AskedValue | undefined;
  /** Absent after a read. */
  readonly outcome?: FailedWriteOutcome | undefined;
  /** The value that the channel holds after a write, in the shape of its value type; absent when nothing read it back. */
  readonly readBack?: ChannelValue | undefined;
  /** The write was tried without being sent: it would have failed. */
  readonly isDryRun?: boolean | undefined;
}
