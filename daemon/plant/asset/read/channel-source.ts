import type { Channel } from '../../../channel/channel.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';

/** Channels requested by all clients of a subscription, and the shortest interval. */
export interface SourcePlan {
  /** Readable and enabled; in configuration order, never empty. */
  readonly channels: readonly Channel[];
  readonly intervalMs: number;
}

/** Delivers the records of channels, once for all clients of a subscription. */
export interface ChannelSource {
  /** The device reports changes, or is polled. */
  readonly mode: 'POLL' | 'SUBSCRIBE';
  /** Reason that a device which reports changes is polled. */
  readonly refusal?: string | undefined;
  /** True if records are expected: for `SUBSCRIBE`, after the device accepted the subscription. */
  readonly isActive: boolean;
  /** Starts to deliver these channels, with a first record of each soon. */
  follow(plan: SourcePlan): void;
  /** Stops the delivery until `follow` is called again. */
  stop(): void;
}

/** Receives the newest records of some channels; several of one channel, in order, if they are queued. */
export type Deliver = (records: readonly ChannelRecord[]) => void;
