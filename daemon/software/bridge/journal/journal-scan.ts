import type { Clock } from '../../../base/clock.ts';
import { describeFileFault } from '../../../base/file/file-fault.ts';
import { Unavailable } from '../../../base/errors.ts';
import type { Journal } from '../../../plant/journal/journal.ts';
import type { Gap, NumberedEntry, Series } from '../../../plant/journal/sample.ts';
import { BatchBuilder } from './batch-builder.ts';

// Entries that are decoded before other work has its turn: 5 ms of CPU time.
const PAGE_ENTRIES = 5000;
// A read that finds nothing in so many entries returns, so that its caller acknowledges them.
const MAXIMUM_PAGES = 20;
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
  readonly journal: Pick<Journal, 'read' | 'tail'>;
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
  const take = createTaker(batch, filter);
  let place = scan.from;
  for (let pages = 0; ; pages += 1) {
    if (place.sequence >= journal.tail) return { batch, next: place, hasMore: false };
    if (pages === MAXIMUM_PAGES || (pages > 0 && batch.count >= limit)) break;
    await nextTurn();
    const { entries, next } = await readPage(scan, place);
    if (next === place.sequence) return { batch, next: place, hasMore: false };
    for (const entry of entries) {
      if (!take(entry)) return { batch, next: place, hasMore: true };
      place = { sequence: entry.sequence, timeMs: timeOf(entry) };
    }
    place = { ...place, sequence: next };
  }
  return { batch, next: place, hasMore: true };
}

async function readPage({ journal, clock }: JournalScan, place: JournalPlace) {
  try {
    const page = await journal.read(place, PAGE_ENTRIES);
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

/** Returns a function that adds an entry if the filter lets it; false: the batch is full without it. */
function createTaker(
  batch: BatchBuilder,
  { recorder, mayRead, concerns }: JournalFilter,
): (entry: NumberedEntry) => boolean {
  const readable = new Map<Series, boolean>();
  return ({ sequence, sample, gap }) => {
    if (sample === undefined) return !concerns(gap) || batch.addGap(sequence, gap);
    if (!sample.recorders.includes(recorder)) return true;
    let isReadable = readable.get(sample.series);
    if (isReadable === undefined) {
      isReadable = mayRead(sample.series);
      readable.set(sample.series, isReadable);
    }
    return !isReadable || batch.add(sequence, sample);
  };
}

function timeOf({ sample, gap }: NumberedEntry): number {
  return sample === undefined ? gap.toMs : sample.takenAtMs;
}
