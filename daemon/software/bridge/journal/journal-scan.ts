import type { Clock } from '../../../base/clock.ts';
import { describeFileFault } from '../../../base/file/file-fault.ts';
import { Unavailable } from '../../../base/errors.ts';
import type { Journal } from '../../../plant/journal/journal.ts';
import type { JournalRun } from '../../../plant/journal/reading.ts';
import type { SampleColumns, SampleTag } from '../../../plant/journal/sample-columns.ts';
import type { Gap, Series } from '../../../plant/journal/sample.ts';
import { BatchBuilder } from './batch-builder.ts';

// Entries that are decoded before other work has its turn, and the rest of the last second.
const PAGE_ENTRIES = 5000;
// A read that finds nothing in so many entries, and the rest of a second, returns, so that its caller acknowledges them.
const MAXIMUM_ENTRIES = 100_000;
const RETRY_AFTER_SECONDS = 10;

/** A place in the journal: the number of an entry, and when it was taken, in milliseconds since the epoch. */
export interface JournalPlace {
  readonly sequence: number;
  readonly timeMs: number;
}

/** What a bundle may get of the journal at this moment. */
export interface JournalFilter {
  /** Pid of the recorder. */
  readonly recorder: string;
  readonly mayRead: (series: Pick<Series, 'asset' | 'channel'>) => boolean;
  readonly concerns: (gap: Gap) => boolean;
}

interface JournalScan {
  readonly journal: Pick<Journal, 'readRuns' | 'tail'>;
  /** Where to begin. */
  readonly from: JournalPlace;
  readonly filter: JournalFilter;
  /** Maximum number of samples and gaps. */
  readonly limit: number;
  /** Resolves when the next page may be read. */
  readonly nextTurn: () => Promise<void>;
  readonly clock: Clock;
}

/** Samples that were found, and how far the scan came. */
export interface ScannedBatch {
  readonly batch: BatchBuilder;
  readonly next: JournalPlace;
  /** There is more to read after `next`. */
  readonly hasMore: boolean;
}

/**
 * Looks through the journal for the samples of one recorder, and the gaps that concern it.
 *
 * It ends at the end of the journal, with a full batch, or empty after 100,000 entries of others.
 *
 * @throws {Unavailable} `JOURNAL_UNREADABLE` if the disk fails
 */
export async function scanJournal(scan: JournalScan): Promise<ScannedBatch> {
  const { journal, filter, limit, nextTurn } = scan;
  const batch = new BatchBuilder(limit);
  const taker = new RunTaker(batch, filter, scan.from);
  for (let looked = 0; batch.count < limit && looked < MAXIMUM_ENTRIES;) {
    const { place } = taker;
    if (place.sequence >= journal.tail) return { batch, next: place, hasMore: false };
    await nextTurn();
    // More than the batch takes is only decoded to go past the entries of others.
    const wanted = looked === 0 || batch.count > 0 ? limit - batch.count : PAGE_ENTRIES;
    const { runs, next } = await readPage(scan, place, Math.min(wanted, PAGE_ENTRIES));
    if (next === place.sequence) return { batch, next: place, hasMore: false };
    for (const run of runs) if (!taker.take(run)) return { batch, next: taker.place, hasMore: true };
    taker.skipTo(next);
    looked = next - scan.from.sequence;
  }
  return { batch, next: taker.place, hasMore: true };
}

async function readPage({ journal, clock }: JournalScan, place: JournalPlace, limit: number) {
  try {
    const page = await journal.readRuns(place, limit);
    await clock.nextTurn();
    return page;
  } catch (error) {
    const detail = `the journal cannot be read: ${describeFileFault(error)}`;
    throw new Unavailable({
      code: 'JOURNAL_UNREADABLE',
      detail,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}

/** Adds the entries that pass the filter to a batch, in order; `place` is that of the last scanned entry. */
class RunTaker {
  readonly #batch: BatchBuilder;
  readonly #filter: JournalFilter;
  readonly #readable = new Map<Series, boolean>();
  #place: JournalPlace;

  constructor(batch: BatchBuilder, filter: JournalFilter, from: JournalPlace) {
    this.#batch = batch;
    this.#filter = filter;
    this.#place = from;
  }

  get place(): JournalPlace {
    return this.#place;
  }

  /** Goes past entries that are not read. */
  skipTo(sequence: number): void {
    this.#place = { ...this.#place, sequence };
  }

  /** Takes the entries of a run; false: the batch is full, the place is behind the last entry that it has. */
  take({ sequence, columns, gap }: JournalRun): boolean {
    if (gap !== undefined) {
      if (this.#filter.concerns(gap) && !this.#batch.addGap(sequence, gap)) return false;
      this.#place = { sequence, timeMs: gap.toMs };
      return true;
    }
    const count = this.#isReadable(columns.series) ? this.#addSamples(sequence, columns) : columns.count;
    if (count > 0) {
      this.#place = { sequence: sequence + count - 1, timeMs: columns.takenAtMs[count - 1] ?? 0 };
    }
    return count === columns.count;
  }

  /** @returns the number of samples that were scanned before the batch was full */
  #addSamples(sequence: number, columns: SampleColumns): number {
    const { count, tags } = columns;
    // Most samples of a series have one tag.
    let last: SampleTag | undefined;
    let isTaken = false;
    for (let index = 0; index < count; index += 1) {
      const tag = tags[index];
      if (tag !== last) {
        last = tag;
        isTaken = tag?.recorders.includes(this.#filter.recorder) === true;
      }
      if (isTaken && !this.#batch.add(sequence + index, columns, index)) return index;
    }
    return count;
  }

  #isReadable(series: Series): boolean {
    let isReadable = this.#readable.get(series);
    if (isReadable === undefined) {
      isReadable = this.#filter.mayRead(series);
      this.#readable.set(series, isReadable);
    }
    return isReadable;
  }
}
