import type { ErrorCode } from '../base/error-codes.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import type { Channel } from './channel.ts';
import type { DoneWriteOutcome, FailedWriteOutcome } from './write-outcome.ts';
import type { ValueQuality } from './quality.ts';
import type { ChannelValue, ValueType } from './value-type.ts';

/** Reason that a channel has no value or was not written; the message names the object and is shown to clients. */
export interface ChannelFailure {
  /** Stable upper-case code, for example `MODBUS_NO_RESPONSE`. */
  readonly code: ErrorCode;
  readonly message: string;
  /** Message without times, constant while the cause persists; absent: the whole message. */
  readonly stableMessage?: string | undefined;
  /** Status in the device's response, for example `BadOutOfService`; absent: none. */
  readonly status?: string | undefined;
  /** Sentences of the message with their codes; absent: one has none. */
  readonly reasons?: readonly FaultReason[] | undefined;
  /** Channel of the condition that prevented a write; absent: another cause. */
  readonly condition?: ConditionChannel | undefined;
}

/** The channel on which a write depends. */
export interface ConditionChannel {
  /** Pid of its asset. */
  readonly asset: string;
  readonly channel: string;
}

/** A channel value with its time, in the shape of its value type. */
export interface TimedValue {
  readonly value: ChannelValue;
  /** Milliseconds since the epoch at which it was read. */
  readonly timestampMs: number;
}

/** The result of a read or write for one channel. */
export type ChannelRecord = (ChannelSuccess | ChannelFailureRecord) & {
  /** Last-read value before a write; for the audit only. Absent: unknown. */
  readonly before?: TimedValue | undefined;
  /** Cause of a failure that is hidden from the caller; for the audit only. */
  readonly hiddenFailure?: ChannelFailure | undefined;
  /** Requested value of a write, if the value sent differs; in the shape of the channel's value type. */
  readonly requested?: ChannelValue | undefined;
  /** True if the value is one field, and the write replaced its whole structure. */
  readonly isWholeStructure?: true | undefined;
  /** True if the device queues the values for listeners: each of them counts, not only the newest. */
  readonly isQueued?: boolean | undefined;
};

interface ChannelSuccess {
  readonly channel: Channel;
  readonly name: string;
  /** In the shape of the channel's value type; after a write, the value sent, as a read returns it. */
  readonly value: ChannelValue;
  /** Milliseconds since the epoch; the time of the device if it reports one. */
  readonly timestampMs: number;
  /** Absent after a write. */
  readonly quality?: ValueQuality | undefined;
  /** See `Reading`. */
  readonly status?: string | undefined;
  readonly failure?: undefined;
  readonly asked?: undefined;
  /** Absent after a read or dry run. */
  readonly outcome?: DoneWriteOutcome | undefined;
  readonly readBack?: ChannelValue | undefined;
  /** A dry run succeeded; nothing was sent. */
  readonly isDryRun?: boolean | undefined;
}

/** Value of a write: the one sent, otherwise the one requested; `value` has the shape of `valueType`, which may differ from that of the channel. */
interface AskedValue {
  readonly valueType: ValueType;
  readonly value: ChannelValue;
}

export interface ChannelFailureRecord {
  /** Absent for an unknown channel. */
  readonly channel?: Channel | undefined;
  readonly name: string;
  readonly failure: ChannelFailure;
  /** Milliseconds since the epoch of the failure. */
  readonly timestampMs: number;
  readonly value?: undefined;
  readonly quality?: undefined;
  readonly status?: undefined;
  /** Absent after a read. */
  readonly asked?: AskedValue | undefined;
  /** Absent after a read. */
  readonly outcome?: FailedWriteOutcome | undefined;
  /** Value after a write, in the shape of the value type; absent if it was not read back. */
  readonly readBack?: ChannelValue | undefined;
  /** A dry run failed; nothing was sent. */
  readonly isDryRun?: boolean | undefined;
}
