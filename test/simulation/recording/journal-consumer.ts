import type { Cursor, Cursors } from '../../../daemon/plant/journal/cursors.ts';
import type { Journal } from '../../../daemon/plant/journal/journal.ts';
import type { NumberedEntry } from '../../../daemon/plant/journal/sample.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { RecordedSamples } from './recorded-samples.ts';
import type { RetentionRules } from './retention-rules.ts';
import { describeEntry } from './taken-entries.ts';
import { readEntries } from '../../support/journal-entries.ts';

interface JournalConsumerOptions {
  readonly name: string;
  readonly chronicle: Chronicle;
  readonly nowMs: () => number;
  readonly recorded: RecordedSamples;
  readonly rules: RetentionRules;
}

interface Present {
  readonly journal: Pick<Journal, 'readRuns' | 'tail' | 'batch'>;
  readonly cursors: Pick<Cursors, 'find' | 'acknowledge'>;
}

/** A consumer of the journal: reads pages, acknowledges what it has dealt with, and goes on at its cursor after a restart. */
export class JournalConsumer {
  readonly #options: JournalConsumerOptions;
  #present: Present | undefined;
  #isKnown = false;
  /** The last entry that it has acknowledged. */
  #acknowledged = 0;
  /** The last entry up to which the cursor is certainly stored. */
  #stored = 0;
  /** The batch in which it acknowledged last. */
  #batch = -1;
  #acknowledgedMs = 0;

  constructor(options: JournalConsumerOptions) {
    this.#options = options;
  }

  /** Begins with another life of the gateway: the cursor is what was stored, or a later one. */
  begin(present: Present): void {
    const { chronicle, name } = this.#options;
    this.#noteStored();
    this.#present = present;
    if (!this.#isKnown) return;
    const sequence = present.cursors.find(name)?.sequence ?? 0;
    const isKept = sequence >= this.#stored && sequence <= this.#acknowledged;
    if (!isKept)
      chronicle.break(
        'cursor-kept',
        `${name} has acknowledged ${this.#acknowledged}, ${this.#stored} was stored, and its cursor is ${sequence}`,
      );
    this.#acknowledged = sequence;
    this.#stored = sequence;
    this.#batch = -1;
  }

  /** The process of the gateway has ended: what was acknowledged since the last batch may be lost. */
  cut(): void {
    this.#noteStored();
    this.#present = undefined;
  }

  /**
   * Reads entries after the cursor and acknowledges some of them.
   *
   * @param acknowledges how many of so many entries it deals with
   */
  async read(limit: number, acknowledges: (count: number) => number): Promise<void> {
    const present = this.#present;
    if (present === undefined) return;
    const { journal, cursors } = present;
    const { name, nowMs } = this.#options;
    this.#noteStored();
    const cursor = this.#isKnown ? this.#findCursor(present) : this.#register(present);
    const entries = await readEntries(journal, cursor, limit);
    let expected = cursor.sequence + 1;
    for (const entry of entries) {
      this.#check(entry, expected);
      expected = entry.sequence + 1;
    }
    const last = entries[acknowledges(entries.length) - 1];
    if (last === undefined) return;
    const timeMs = last.sample?.takenAtMs ?? last.gap?.toMs ?? 0;
    cursors.acknowledge({ consumer: name, sequence: last.sequence, timeMs });
    this.#acknowledged = last.sequence;
    this.#acknowledgedMs = nowMs();
    this.#batch = journal.batch;
  }

  #register({ journal, cursors }: Present): Cursor {
    const cursor = { consumer: this.#options.name, sequence: journal.tail, timeMs: 0 };
    cursors.acknowledge(cursor);
    this.#isKnown = true;
    this.#acknowledged = journal.tail;
    this.#batch = journal.batch;
    return cursor;
  }

  #findCursor({ cursors }: Present): Cursor {
    const { name, chronicle } = this.#options;
    const cursor = cursors.find(name) ?? { consumer: name, sequence: 0, timeMs: 0 };
    if (cursor.sequence !== this.#acknowledged) {
      const text = `${name} has acknowledged ${this.#acknowledged}, and its cursor is ${cursor.sequence}`;
      chronicle.break('cursor-kept', text);
    }
    return cursor;
  }

  // The cursors are written with the next batch after an acknowledgement.
  #noteStored(): void {
    if (this.#present !== undefined && this.#present.journal.batch > this.#batch)
      this.#stored = this.#acknowledged;
  }

  #check(entry: NumberedEntry, expected: number): void {
    const { recorded, chronicle, name, rules } = this.#options;
    const { sequence, gap } = entry;
    const known = recorded.find(sequence);
    const isSame = known !== undefined && describeEntry(known) === describeEntry(entry);
    if (isSame && sequence === expected) return;
    if (gap?.reason === 'RETENTION' && !isSame) {
      if (sequence - gap.count + 1 !== expected) {
        const text = `${name} expected ${expected}, and got a gap of ${gap.count} that ends with ${sequence}`;
        chronicle.break('cursor-kept', text);
      }
      const atMs = recorded.findTime(sequence);
      if (rules.wasFull(this.#acknowledgedMs) || atMs === undefined || rules.isOld(atMs)) return;
      const text = `${describeEntry(entry)} is about entry ${sequence}, which was taken at ${atMs.toFixed(1)}`;
      chronicle.break('journal-whole', text);
    } else if (sequence !== expected) {
      chronicle.break('cursor-kept', `${name} expected ${expected}, and got ${sequence}`);
    } else if (known !== undefined) {
      const text = `${name} got ${describeEntry(entry)} instead of ${describeEntry(known)}`;
      chronicle.break('journal-whole', text);
    }
  }
}
