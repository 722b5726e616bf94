import type { ChannelRecord } from '../channel/channel-record.ts';

/** Records of channels that changed together. */
export interface ChangeEntry {
  /** Counts from 1 without gaps. */
  readonly sequence: number;
  /** Clock.monotonicMs() of the change. */
  readonly atMs: number;
  readonly records: readonly ChannelRecord[];
}

/** Records that are kept for listeners that are slow or come back; texts and bytes count as one for each 64. */
export const MAXIMUM_HISTORY_RECORDS = 2048;

/** The newest changes of the channels of an asset, in order; the oldest give way. */
export class ChangeHistory {
  readonly #maximumRecords: number;
  #entries: ChangeEntry[] = [];
  #weight = 0;
  #newest = 0;

  constructor(maximumRecords = MAXIMUM_HISTORY_RECORDS) {
    this.#maximumRecords = maximumRecords;
  }

  /** Sequence of the newest change; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  add(records: readonly ChannelRecord[], atMs: number): void {
    this.#newest += 1;
    this.#entries.push({ sequence: this.#newest, atMs, records });
    this.#weight += weigh(records);
    // The newest change is kept however large it is: listeners that are up to date wait for it.
    while (this.#weight > this.#maximumRecords && this.#entries.length > 1) {
      this.#weight -= weigh(this.#entries.shift()?.records ?? []);
    }
  }

  /** Whether every change after this one is still there. */
  holdsAfter(sequence: number): boolean {
    return sequence <= this.#newest && sequence >= this.#newest - this.#entries.length;
  }

  /** Gives the changes after one for which `holdsAfter` is true, in order. */
  listAfter(sequence: number): readonly ChangeEntry[] {
    return sequence === this.#newest ? [] : this.#entries.slice(sequence - this.#newest);
  }
}

function weigh(records: readonly ChannelRecord[]): number {
  return records.reduce((sum, { value }) => {
    const length = typeof value === 'string' || typeof value === 'object' ? value.length : 0;
    return sum + 1 + Math.floor(length / 64);
  }, 0);
}
