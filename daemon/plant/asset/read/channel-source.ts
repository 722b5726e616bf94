import type { Channel } from '../../../channel/channel.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';

/** The channels that all clients of a subscription want together, and the shortest interval. */
export interface SourcePlan {
  /** Each can be read and is enabled; in configuration order, never empty. */
  readonly channels: readonly Channel[];
  readonly intervalMs: number;
}

/** Delivers the records of channels, once for all clients of a subscription. */
export interface ChannelSource {
  /** Whether the device reports changes by itself, or is polled. */
  readonly mode: 'POLL' | 'SUBSCRIBE';
  /** Whether records can be expected: for `SUBSCRIBE`, the device has accepted the subscription. */
  readonly isActive: boolean;
  /** Delivers these channels from now on, and a first record of each soon. */
  follow(plan: SourcePlan): void;
  /** Stops the delivery until `follow` is called again. */
  stop(): void;
}

/** Receives the newest records of some of the channels; several of one channel, in their order, when they are queued. */
export type Deliver = (records: readonly ChannelRecord[]) => void;
