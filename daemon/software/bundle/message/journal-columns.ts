import type {
  JournalBatch,
  JournalGap,
  JournalQuality,
  JournalSeries,
  RecordedChannel,
} from '../runner/context.ts';
import { fromWireValue } from './wire-value.ts';
import type { WireValue } from './wire-value.ts';

/** Maximum number of samples and gaps in a batch. */
export const MAXIMUM_BATCH = 10_000;
/** Maximum time that a read waits for a sample. */
export const MAXIMUM_JOURNAL_WAIT_MS = 30_000;

/** A batch of samples in a message. Numbers that grow are differences from the one before, the first from 0: they have fewer digits. */
export interface WireJournalBatch {
  readonly series: readonly JournalSeries[];
  readonly sequences: readonly number[];
  readonly seriesIndexes: readonly number[];
  readonly values: readonly (WireValue | null)[];
  /** The first letter of each quality. */
  readonly qualities: string;
  /** Those of the samples that have one, by their index. */
  readonly statuses: readonly (readonly [index: number, status: string])[];
  readonly takenAt: readonly number[];
  /** Milliseconds by which the time of the device is earlier. */
  readonly delays: readonly number[];
  readonly gaps: readonly JournalGap[];
  readonly next: number;
  readonly tail: number;
}

/** A part of the list of the channels that a recorder takes. */
export interface WireRecordedChannels {
  /** Another one for another list. */
  readonly revision: string;
  /** Number of channels in the whole list. */
  readonly total: number;
  readonly channels: readonly RecordedChannel[];
}

const QUALITIES: Readonly<Record<string, JournalQuality>> = { G: 'GOOD', U: 'UNCERTAIN', B: 'BAD' };

/** Decodes a batch. */
export function decodeBatch(wire: WireJournalBatch): JournalBatch {
  const takenAt = sumUp(wire.takenAt);
  const statuses = Array.from<string | undefined>({ length: takenAt.length });
  for (const [index, status] of wire.statuses) statuses[index] = status;
  return {
    series: wire.series,
    sequences: sumUp(wire.sequences),
    seriesIndexes: wire.seriesIndexes,
    values: wire.values.map((value) => (value === null ? undefined : fromWireValue(value))),
    qualities: Array.from(wire.qualities, (letter) => QUALITIES[letter] ?? 'BAD'),
    statuses,
    timestamps: wire.delays.map((delayMs, index) => (takenAt[index] ?? 0) - delayMs),
    takenAt,
    gaps: wire.gaps,
    next: wire.next,
    tail: wire.tail,
  };
}

function sumUp(differences: readonly number[]): number[] {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
}
