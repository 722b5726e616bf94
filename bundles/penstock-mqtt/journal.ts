/** Value of a sample: LONG is a bigint, BYTE_ARRAY a Uint8Array. */
export type SampleValue = boolean | number | bigint | string | Uint8Array;

/** Entries of a journal in columns: element i of each belongs to sample i. */
export interface JournalBatch {
  readonly series: readonly {
    readonly asset: string;
    readonly channel: string;
    readonly valueType: string;
  }[];
  readonly sequences: readonly number[];
  readonly seriesIndexes: readonly number[];
  /** Undefined: quality BAD. */
  readonly values: readonly (SampleValue | undefined)[];
  readonly qualities: readonly ('GOOD' | 'UNCERTAIN' | 'BAD')[];
  readonly statuses: readonly (string | undefined)[];
  /** Device time, milliseconds since the epoch. */
  readonly timestamps: readonly number[];
  /** Gateway time, milliseconds since the epoch. */
  readonly takenAt: readonly number[];
  readonly gaps: readonly {
    readonly sequence: number;
    readonly reason: string;
    readonly asset?: string | undefined;
    readonly channel?: string | undefined;
    readonly fromMs: number;
    readonly toMs: number;
    readonly count: number;
  }[];
  /** Cursor to read on after. */
  readonly next: number;
  /** Cursor of the newest entry. */
  readonly tail: number;
}
