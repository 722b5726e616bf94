import type { RandomSource } from '../../base/random.ts';
import { ResumableLog } from '../../base/file/resumable-log.ts';
import type { ChannelRecord } from '../../channel/channel-record.ts';

/** Records of channels that changed together. */
export interface ChangeEntry {
  /** Clock.monotonicMs() of the change. */
  readonly atMs: number;
  readonly records: readonly ChannelRecord[];
}

/** The newest changes of the channels of an asset, in order. */
export type ChangeHistory = ResumableLog<ChangeEntry>;

/**
 * Number of records stored for slow or returning listeners; each 64 characters of a text and each 64
 * bytes count as one more.
 */
export const MAXIMUM_HISTORY_RECORDS = 2048;

interface ChangeHistoryOptions {
  readonly maximumRecords?: number;
  /** Default: the random source of the system. */
  readonly random?: RandomSource | undefined;
}

/** Creates an empty history; it always retains the newest change, even a large one, because listeners wait for it. */
export function createChangeHistory(options: ChangeHistoryOptions = {}): ChangeHistory {
  const { maximumRecords = MAXIMUM_HISTORY_RECORDS, random } = options;
  return new ResumableLog({ maximumWeight: maximumRecords, weigh: ({ records }) => weigh(records), random });
}

function weigh(records: readonly ChannelRecord[]): number {
  return records.reduce((sum, { value }) => {
    const length = typeof value === 'string' || typeof value === 'object' ? value.length : 0;
    return sum + 1 + Math.floor(length / 64);
  }, 0);
}
