import type { Clock } from '../../base/clock.ts';
import type { JournalRun } from '../journal/reading.ts';
import type { SampleColumns } from '../journal/sample-columns.ts';
import type { Series } from '../journal/sample.ts';
import { keyOfSeries } from '../journal/segment-names.ts';
import { packSamples } from './block-bytes.ts';
import type { NumberedGap } from './gap-table.ts';
import type { HistoryTables, PackedBlock, Position } from './history-tables.ts';
import { MAXIMUM_SPAN_MS, OpenBlock } from './open-block.ts';
import type { BlockView, RunPlace } from './open-block.ts';

const BLOCK_SAMPLES = 512;
// The first block of a series is shorter, each by another length: those of 10,000 channels must not be complete in the same second.
const FIRST_BLOCK_SAMPLES = 128;
/** The journal keeps what is younger. */
const MAXIMUM_UNSAVED_MS = 900_000;
const BLOCKS_IN_TRANSACTION = 32;

/** Sorts the entries of the journal into blocks, and stores these. Entries that were stored before are left out. */
export class HistoryWriter {
  readonly #tables: HistoryTables;
  readonly #clock: Clock;
  readonly #stored: ReadonlyMap<string, number>;
  readonly #storedGap: number;
  readonly #open = new Map<string, OpenBlock>();
  /** Keys of the series that have had a block. */
  readonly #begun = new Set<string>();
  /** Keys of series; frames of the journal have the same objects. */
  readonly #keys = new WeakMap<Series, string>();
  #complete: readonly OpenBlock[] = [];
  #gaps: readonly NumberedGap[] = [];
  #lastId: number;
  #position: Position;

  /** @param position the last entry that was acknowledged */
  constructor(tables: HistoryTables, position: Position, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    this.#position = position;
    this.#stored = tables.listStoredSequences();
    this.#storedGap = tables.gaps.newest;
    this.#lastId = tables.newestBlock;
  }

  /** The last entry that was taken. */
  get position(): Position {
    return this.#position;
  }

  /** Number of blocks that are complete and not stored. */
  get completeCount(): number {
    return this.#complete.length;
  }

  /** The last entry up to which everything is stored. */
  get storedPosition(): Position {
    let { sequence, timeMs } = this.#position;
    for (const { unsaved } of this.#inMemory()) {
      if (unsaved === undefined || unsaved.sequence > sequence) continue;
      [sequence, timeMs] = [unsaved.sequence - 1, unsaved.takenAtMs];
    }
    const [gap] = this.#gaps;
    if (gap === undefined || gap.sequence > sequence) return { sequence, timeMs };
    return { sequence: gap.sequence - 1, timeMs: gap.gap.fromMs };
  }

  /** Returns the blocks in memory of some channels. */
  listViews(asset: string, channels: ReadonlySet<string>): readonly BlockView[] {
    return this.#inMemory()
      .filter(({ series }) => series.asset === asset && channels.has(series.channel))
      .map((block) => block.view());
  }

  /** Calls a function with each block in memory. */
  forEachOpen(visit: (block: Pick<OpenBlock, 'series' | 'fromMs' | 'unsavedBytes'>) => void): void {
    for (const block of this.#inMemory()) visit(block);
  }

  /** Number of the newest block, on disk or in memory. */
  get newestBlock(): number {
    return this.#lastId;
  }

  /** Takes entries, in the order of the journal. */
  take(runs: readonly JournalRun[]): void {
    const gaps: NumberedGap[] = [];
    for (const { sequence, columns, gap } of runs) {
      if (columns !== undefined) this.#takeSamples(columns, sequence);
      else {
        if (sequence > this.#storedGap) gaps.push({ gap, sequence });
        this.#position = { sequence, timeMs: gap.toMs };
      }
    }
    if (gaps.length > 0) this.#gaps = [...this.#gaps, ...gaps];
  }

  /**
   * Stores the gaps that were taken: readers find them on disk alone.
   *
   * @throws {StoreFailure} when the disk refuses them; they are stored with the next call
   */
  storeGaps(): void {
    if (this.#gaps.length === 0) return;
    this.#tables.put([], this.#gaps);
    this.#gaps = [];
  }

  /**
   * Stores the blocks that are complete, those with samples that have waited for long.
   *
   * @param isAll stores every block
   * @throws {StoreFailure} when the disk refuses them; the rest is stored with the next call
   */
  async store(isAll = false): Promise<void> {
    this.storeGaps();
    const nowMs = this.#clock.monotonicMs();
    const due = [...this.#open.values()].filter(
      (block) => block.unsaved !== undefined && (isAll || block.ageAt(nowMs) >= MAXIMUM_UNSAVED_MS),
    );
    const blocks = [...this.#complete, ...due];
    for (let start = 0; start < blocks.length; start += BLOCKS_IN_TRANSACTION) {
      await this.#storeSome(blocks.slice(start, start + BLOCKS_IN_TRANSACTION));
    }
    for (const [key, block] of this.#open) if (block.idleAt(nowMs) > MAXIMUM_SPAN_MS) this.#open.delete(key);
  }

  async #storeSome(blocks: readonly OpenBlock[]): Promise<void> {
    this.#tables.put(blocks.map(pack), []);
    const done = new Set(blocks);
    this.#complete = this.#complete.filter((block) => !done.has(block));
    for (const block of blocks) block.noteSaved(this.#clock.monotonicMs());
    await this.#clock.nextTurn();
  }

  #takeSamples(columns: SampleColumns, firstSequence: number): void {
    const { series, count, takenAtMs } = columns;
    const key = this.#keyOf(series);
    const nowMs = this.#clock.monotonicMs();
    let index = Math.max(0, (this.#stored.get(key) ?? 0) + 1 - firstSequence);
    while (index < count) {
      const block = this.#blockFor({ key, columns, index }, { firstSequence, nowMs });
      index = block.append(columns, index, { firstSequence, nowMs });
      if (!block.isComplete) continue;
      this.#complete = [...this.#complete, block];
      this.#open.delete(key);
    }
    this.#position = {
      sequence: firstSequence + count - 1,
      timeMs: takenAtMs[count - 1] ?? this.#position.timeMs,
    };
  }

  /** Returns the open block for a sample, a new one if need be. */
  #blockFor(
    {
      key,
      columns,
      index,
    }: { readonly key: string; readonly columns: SampleColumns; readonly index: number },
    { firstSequence, nowMs }: RunPlace,
  ): OpenBlock {
    const open = this.#open.get(key);
    if (open?.accepts(columns, index) === true) return open;
    if (open?.unsaved !== undefined) this.#complete = [...this.#complete, open];
    this.#lastId += 1;
    const id = this.#lastId;
    const target = this.#begun.has(key) ? BLOCK_SAMPLES : chooseFirstTarget(id);
    const { series } = columns;
    const block = new OpenBlock({ id, series, target, firstSequence: firstSequence + index, nowMs });
    this.#begun.add(key);
    this.#open.set(key, block);
    return block;
  }

  #keyOf(series: Series): string {
    let key = this.#keys.get(series);
    if (key !== undefined) return key;
    key = keyOfSeries(series);
    this.#keys.set(series, key);
    return key;
  }

  #inMemory(): readonly OpenBlock[] {
    return [...this.#complete, ...this.#open.values()];
  }
}

/** Numbers of blocks that began together follow one another, so these lengths are spread. */
function chooseFirstTarget(id: number): number {
  return FIRST_BLOCK_SAMPLES + ((id * 31) % (BLOCK_SAMPLES - FIRST_BLOCK_SAMPLES));
}

function pack(block: OpenBlock): PackedBlock {
  const view = block.view();
  const { id, series, firstSequence, statistics } = view;
  const { lastSequence, takenAtMs } = block;
  const bytes = packSamples(view.encode());
  return { id, series, firstSequence, lastSequence, statistics, takenAtMs, bytes };
}
