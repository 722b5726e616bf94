import type { Cursors } from '../../../daemon/plant/journal/cursors.ts';
import type { Journal } from '../../../daemon/plant/journal/journal.ts';
import type { NumberedEntry, Sample } from '../../../daemon/plant/journal/sample.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { RecorderModel } from './recorder-model.ts';
import type { RecordedSamples } from './recorded-samples.ts';
import { describeEntry, keyOfSample, TakenEntries } from './taken-entries.ts';
import type { TakenEntry } from './taken-entries.ts';
import { readEntries } from '../../support/journal-entries.ts';

interface JournalCheckOptions {
  readonly chronicle: Chronicle;
  readonly nowMs: () => number;
  readonly recorders: RecorderModel;
  readonly recorded: RecordedSamples;
  /** When the gateway lost its power the last time; -Infinity when it never did. */
  readonly killedMs: () => number;
  /** Whether the disk had room for the last entries of a life. */
  readonly hasRoom: () => boolean;
  /** Receives each sample that the journal shows, once. */
  readonly onShown: (sample: Sample, atMs: number) => void;
}

type WatchedJournal = Pick<Journal, 'readRuns' | 'tail'>;

const PAGE = 1000;
/** Its name among the consumers of the journal, which keeps for it what it has not seen. */
const CONSUMER = 'archivist';
/** What was taken in this time before a loss of power may be missing. */
const LOST_BY_KILL_MS = 1100;

/** Compares what the journal shows with what recorders gave it: all of it, in order, or a gap that counts what is missing. */
export class JournalCheck {
  readonly #options: JournalCheckOptions;
  #journal: WatchedJournal | undefined;
  #cursors: Pick<Cursors, 'acknowledge'> | undefined;
  #taken = new TakenEntries();
  /** The last entry that was compared; undefined before the first life. */
  #compared: { readonly sequence: number; readonly timeMs: number } | undefined;
  /** Lost samples that gaps count, and that were not found missing yet. */
  #declared = 0;
  /** Whether nothing has followed the last of these gaps: which samples are missing shows what comes next. */
  #isGapLast = false;
  readonly #newest = new Map<string, number>();
  #looking: Promise<void> = Promise.resolve();

  constructor(options: JournalCheckOptions) {
    this.#options = options;
  }

  /** Number of the last entry that was compared. */
  get position(): number {
    return this.#position.sequence;
  }

  get #position(): { readonly sequence: number; readonly timeMs: number } {
    return this.#compared ?? { sequence: 0, timeMs: 0 };
  }

  /** Begins with another life of the gateway; what the journal has of the last one is compared first. */
  begin(journal: WatchedJournal, cursors: Pick<Cursors, 'acknowledge'>): void {
    const last = this.#taken;
    this.#taken = new TakenEntries();
    this.#journal = journal;
    this.#cursors = cursors;
    const { tail } = journal;
    // What an earlier world has recorded was compared there.
    this.#compared ??= { sequence: tail, timeMs: 0 };
    this.#looking = this.#looking.then(() => this.#endLife(last, tail));
  }

  /** Looks at nothing until the next life: the process that has the journal is dead. */
  cut(): void {
    this.#journal = undefined;
  }

  /** Notes what recorders give the journal. */
  note(entries: Parameters<Journal['append']>[0], batch: number): void {
    this.#taken.add(entries, this.#options.nowMs(), batch);
  }

  /** Compares what is new in the journal. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#compare(this.#taken));
    return this.#looking;
  }

  async #endLife(taken: TakenEntries, tail: number): Promise<void> {
    await this.#compare(taken, tail);
    const { killedMs, hasRoom, chronicle } = this.#options;
    const declared = this.#declared;
    this.#declared = 0;
    const missing = taken
      .takeAll()
      .filter(({ atMs }) => hasRoom() && atMs < killedMs() - LOST_BY_KILL_MS)
      .slice(declared);
    for (const { entry, atMs } of missing)
      chronicle.break('journal-whole', `${describeEntry(entry)}, taken at ${atMs.toFixed(1)}, is not there`);
    if (this.#position.sequence > tail)
      chronicle.break('journal-whole', `entries after ${tail} were there, and are not any more`);
  }

  async #compare(taken: TakenEntries, tail = Infinity): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined) return;
    while (journal.tail > this.#position.sequence) {
      const entries = await readEntries(journal, this.#position, PAGE);
      const shown = entries.filter(({ sequence }) => sequence <= tail);
      for (const entry of shown) this.#take(taken, entry);
      if (shown.length < PAGE) break;
    }
    this.#cursors?.acknowledge({ consumer: CONSUMER, ...this.#position });
    this.#checkMissing(taken.takeMissing());
  }

  #take(taken: TakenEntries, entry: NumberedEntry): void {
    const { chronicle, recorded, nowMs, onShown } = this.#options;
    const { sequence, sample, gap } = entry;
    const expected = this.#position.sequence + 1;
    this.#compared = { sequence, timeMs: sample?.takenAtMs ?? gap?.toMs ?? 0 };
    if (sequence !== expected) {
      chronicle.break('journal-whole', `entry ${expected} is missing before ${describeEntry(entry)}`);
      return;
    }
    const found = taken.show(entry);
    recorded.add(entry, found?.atMs ?? nowMs());
    this.#isGapLast = sample === undefined && gap?.reason === 'DISK';
    if (found !== undefined && sample !== undefined) {
      this.#checkScope(sample, found);
      onShown(sample, found.atMs);
    } else if (gap?.reason === 'DISK') this.#declared += gap.count;
    else if (found === undefined && gap?.reason !== 'STOPPED')
      chronicle.break('journal-whole', `entry ${sequence} was never taken: ${describeEntry(entry)}`);
  }

  #checkScope(sample: Sample, { atMs }: TakenEntry): void {
    const { chronicle, recorders } = this.#options;
    const key = keyOfSample(sample);
    const before = this.#newest.get(key) ?? -Infinity;
    this.#newest.set(key, atMs);
    if (atMs < before) chronicle.break('journal-whole', `${describeEntry({ sample })} is out of order`);
    for (const pid of sample.recorders) {
      // Another recorder may be added until the entry is written.
      if (recorders.mayRecord(pid, sample.series, atMs, atMs + LOST_BY_KILL_MS)) continue;
      chronicle.break('recorded-scope', `${pid} has no part in ${describeEntry({ sample })}`);
    }
    if (sample.recorders.length === 0)
      chronicle.break('recorded-scope', `no recorder has taken ${describeEntry({ sample })}`);
  }

  #checkMissing(missing: readonly TakenEntry[]): void {
    const { chronicle } = this.#options;
    if (this.#isGapLast && missing.length < this.#declared) {
      this.#declared -= missing.length;
      return;
    }
    if (missing.length === this.#declared) {
      this.#declared = 0;
      return;
    }
    const [first] = missing;
    const text = first === undefined ? '' : `, the first of them ${describeEntry(first.entry)}`;
    chronicle.break(
      'journal-whole',
      `${missing.length} samples are missing, and gaps count ${this.#declared}${text}`,
    );
  }
}
