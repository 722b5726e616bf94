import type { Channel } from '../channel/channel.ts';
import type { ChannelRecord } from '../channel/channel-record.ts';

/** Which channels are wanted by those who listen to an asset, all together, and how often at most. */
export interface SourcePlan {
  /** Each can be read and is enabled; in configuration order, never empty. */
  readonly channels: readonly Channel[];
  readonly intervalMs: number;
}

/** Brings the records of channels, once for all who listen. */
export interface ChannelSource {
  /** Whether the device reports changes by itself, or is asked in turns. */
  readonly mode: 'POLL' | 'SUBSCRIBE';
  /** Whether it stands: for `SUBSCRIBE`, the device has accepted the subscription. */
  readonly isActive: boolean;
  /** Brings these channels from now on, and a first record of each soon. */
  follow(plan: SourcePlan): void;
  /** Brings nothing more, until `follow` is called again. */
  stop(): void;
}

/** Takes the newest records of some of the channels. */
export type Deliver = (records: readonly ChannelRecord[]) => void;
