import type { Clock } from '../../base/clock.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';
import type { Asset } from '../asset/asset.ts';

/** Takes samples of some channels of one asset until it is stopped. */
export interface RecordingTask {
  start(): void;
  /** Goes on after the plant has changed: its asset may be another one. */
  follow(): void;
  /** Takes again what it gave last: the journal may have lost it. */
  renew(): void;
  stop(): void;
}

/** What every task needs. */
export interface RecordingTaskOptions {
  /** Returns the asset; undefined while there is none. */
  readonly findAsset: () => Asset | undefined;
  /** Names of the channels; undefined: every enabled, readable one. */
  readonly channels: readonly string[] | undefined;
  /** Receives the records of each round. */
  readonly take: (records: readonly ChannelRecord[]) => void;
  readonly clock: Clock;
}
