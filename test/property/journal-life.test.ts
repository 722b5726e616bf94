import assert from 'node:assert/strict';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as fc from 'fast-check';

import { openStore } from '../../daemon/base/store/store.ts';
import { Cursors, cursorMigrations } from '../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../daemon/plant/journal/journal.ts';
import type { NumberedEntry } from '../../daemon/plant/journal/sample.ts';
import { readEntries } from '../support/journal-entries.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { propertyTest } from './property-test.ts';

const CHANNELS = ['level', 'flow', 'speed'];

/** What happens to a journal. */
type Step =
  | { readonly kind: 'APPEND'; readonly counts: readonly number[] }
  | { readonly kind: 'FLUSH' | 'RESTART' | 'KILL' | 'TRIM' | 'FULL' | 'ROOM' }
  | { readonly kind: 'CUT'; readonly bytes: number }
  | { readonly kind: 'DAMAGE'; readonly position: number }
  | { readonly kind: 'CONSUME'; readonly limit: number; readonly isSaved: boolean }
  | { readonly kind: 'CLOCK'; readonly stepMs: number };

const always = (...kinds: ('FLUSH' | 'RESTART' | 'KILL' | 'TRIM' | 'FULL' | 'ROOM')[]): fc.Arbitrary<Step> =>
  fc.constantFrom(...kinds).map((kind) => ({ kind }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        kind: fc.constant('APPEND' as const),
        counts: fc.array(fc.nat(4), { minLength: 3, maxLength: 3 }),
      },
      { noNullPrototype: true },
    ),
  },
  { weight: 6, arbitrary: always('FLUSH') },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('CONSUME' as const),
      limit: fc.integer({ min: 1, max: 9 }),
      isSaved: fc.boolean(),
    }),
  },
  always('RESTART', 'KILL', 'TRIM', 'FULL', 'ROOM'),
  fc.record({ kind: fc.constant('CUT' as const), bytes: fc.integer({ min: 1, max: 60 }) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('DAMAGE' as const), position: fc.nat(5000) }),
  },
  fc.record({
    kind: fc.constant('CLOCK' as const),
    stepMs: fc.integer({ min: -100_000_000, max: 100_000_000 }),
  }),
);

/** A journal, a consumer, and what is known of both. */
class Life {
  readonly #directory = mkdtempSync(path.join(tmpdir(), 'penstock-'));
  readonly #clock = new ManualClock();
  readonly #store = openStore(':memory:', [cursorMigrations]);
  #cursors = new Cursors(this.#store);
  #journal: Journal | undefined;
  readonly #opened: Journal[] = [];
  #reservedBytes = 0;
  /** The next value of each channel; values only grow. */
  readonly #next = CHANNELS.map(() => 1);
  /** Every value that the consumer has read, by channel. */
  readonly #consumed = CHANNELS.map((): number[] => []);
  /** Number of the last entry that the consumer has acknowledged, and where the saved cursor is. */
  #acknowledged = 0;
  #saved = 0;
  /** Samples that the journal was given, and those that a gap counts as refused by the disk. */
  #given = 0;
  #refused = 0;
  /** Samples may be missing without a count: of a process that was killed, or deleted. */
  #isUncounted = false;
  /** A cursor was not saved before a restart. */
  #isRepeated = false;
  /** A frame was damaged or cut on purpose. */
  #isHarmed = false;

  async open(): Promise<void> {
    this.#cursors = new Cursors(this.#store);
    if (this.#cursors.find('north') === undefined) {
      this.#cursors.acknowledge({ consumer: 'north', sequence: 0, timeMs: 0 });
      this.#cursors.save();
    }
    const before = this.#acknowledged;
    this.#acknowledged = this.#cursors.find('north')?.sequence ?? 0;
    this.#isRepeated ||= this.#acknowledged < before;
    assert.equal(this.#acknowledged, this.#saved, 'the cursor is the one that was saved');
    this.#journal = await Journal.open({
      directory: this.#directory,
      cursors: this.#cursors,
      bounds: () => ({ maximumBytes: 3000, maximumAgeMs: 2 ** 45, reservedBytes: this.#reservedBytes }),
      segmentBytes: 700,
      isClockSet: () => true,
      logger: createMemoryLogger(),
      clock: this.#clock,
    });
    this.#opened.push(this.#journal);
  }

  async close(): Promise<void> {
    for (const journal of this.#opened) await journal.close();
    this.#store.close();
    rmSync(this.#directory, { recursive: true });
  }

  async take(each: Step): Promise<void> {
    const journal = this.#journal;
    assert.ok(journal);
    switch (each.kind) {
      case 'APPEND':
        journal.append(this.#drawEntries(each.counts));
        break;
      case 'FLUSH':
        await journal.flush();
        this.#noteSaved();
        break;
      case 'RESTART':
        this.#isUncounted ||= this.#reservedBytes > 0;
        await journal.close();
        this.#noteSaved();
        await this.open();
        break;
      case 'KILL':
        this.#isUncounted = true;
        await this.open();
        break;
      case 'TRIM':
        await journal.trim();
        break;
      case 'FULL':
        this.#reservedBytes = 2 ** 60;
        break;
      case 'ROOM':
        this.#reservedBytes = 0;
        break;
      case 'CUT':
        await this.#harmNewest((file, size) => truncateSync(file, Math.max(0, size - each.bytes)));
        break;
      case 'DAMAGE':
        await this.#harmNewest((file, size) => {
          if (size === 0) return;
          const bytes = readFileSync(file);
          const index = each.position % size;
          bytes[index] = (bytes[index] ?? 0) ^ 0x55;
          writeFileSync(file, bytes);
        });
        break;
      case 'CONSUME':
        await this.#consume(each.limit, each.isSaved);
        break;
      case 'CLOCK':
        this.#clock.setEpoch(this.#clock.epochMs() + each.stepMs);
        break;
    }
    this.#clock.advance(0);
  }

  /** A consumer that reads to the end has every value on disk, in order. */
  async finish(): Promise<void> {
    this.#reservedBytes = 0;
    await this.#journal?.flush();
    await this.#consume(100_000, true);
    for (const [index, values] of this.#consumed.entries())
      assert.ok(
        values.every((value, place) => place === 0 || value > (values[place - 1] ?? 0)),
        `${CHANNELS[index]}: ${values.join()}`,
      );
    const count = this.#consumed.flat().length;
    if (!this.#isUncounted) assert.equal(count + this.#refused, this.#given);
  }

  #noteSaved(): void {
    this.#saved = this.#cursors.find('north')?.sequence ?? 0;
  }

  #drawEntries(counts: readonly number[]) {
    return counts.flatMap((count, index) =>
      Array.from({ length: count }, () => {
        const value = this.#next[index] ?? 0;
        this.#next[index] = value + 1;
        this.#given += 1;
        const takenAtMs = this.#clock.epochMs();
        return {
          sample: {
            series: { asset: 'pump', channel: CHANNELS[index] ?? '', valueType: 'INTEGER' as const },
            recorders: ['fast'],
            value,
            quality: 'GOOD' as const,
            timestampMs: takenAtMs,
            takenAtMs,
          },
        };
      }),
    );
  }

  /** Harms the newest segment while no process has it open. */
  async #harmNewest(harm: (file: string, size: number) => void): Promise<void> {
    const newest = readdirSync(this.#directory).toSorted().at(-1);
    if (newest !== undefined) {
      const file = path.join(this.#directory, newest);
      harm(file, statSync(file).size);
      this.#isHarmed = true;
    }
    this.#isUncounted = true;
    await this.open();
  }

  async #consume(limit: number, isSaved: boolean): Promise<void> {
    if (this.#journal === undefined) return;
    const after = { sequence: this.#acknowledged, timeMs: 0 };
    const entries = await readEntries(this.#journal, after, limit);
    const next = entries.at(-1)?.sequence ?? after.sequence;
    this.#checkNumbers(entries);
    for (const { sample, gap } of entries) {
      if (gap?.reason === 'DISK') this.#refused += gap.count;
      if (gap?.reason === 'RETENTION') this.#isUncounted = true;
      if (sample === undefined) continue;
      const index = CHANNELS.indexOf(sample.series.channel);
      const value = Number(sample.value);
      const values = this.#consumed[index] ?? [];
      // A cursor that was not saved repeats entries.
      const last = values.at(-1) ?? 0;
      if (value > last) values.push(value);
      else assert.ok(this.#isRepeated, `${value} is given again`);
    }
    this.#acknowledged = next;
    this.#cursors.acknowledge({ consumer: 'north', sequence: next, timeMs: 0 });
    if (!isSaved) return;
    this.#cursors.save();
    this.#noteSaved();
  }

  /** Every number after the cursor is an entry, or counted by a gap in its place. */
  #checkNumbers(entries: readonly NumberedEntry[]): void {
    let next = this.#acknowledged + 1;
    for (const { sequence, gap } of entries) {
      const isRange = gap?.reason === 'DAMAGED' || gap?.reason === 'RETENTION';
      assert.equal(isRange ? sequence - gap.count + 1 : sequence, next);
      if (gap?.reason === 'DAMAGED') assert.ok(this.#isHarmed, 'nothing was damaged');
      next = sequence + 1;
    }
  }
}

propertyTest(
  'whatever happens to a journal, its consumer reads all that is on disk, in order, and each gap in its place',
  fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
    const life = new Life();
    try {
      await life.open();
      for (const each of steps) await life.take(each);
      await life.finish();
    } finally {
      await life.close();
    }
  }),
);
