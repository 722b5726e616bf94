import { isDamage } from '../../base/store/store.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { GrowingColumns } from '../journal/sample-columns.ts';
import type { SampleColumns } from '../journal/sample-columns.ts';
import type { Gap, Series } from '../journal/sample.ts';
import { decodeSamples, unpackSamples } from './block-bytes.ts';
import type { HistoryTables, StoredBlock } from './history-tables.ts';
import type { BlockView } from './open-block.ts';
import type { Statistics } from './statistics.ts';

const BLOCKS_IN_PAGE = 32;

/** A block that a reader may open. */
export interface SourceBlock {
  readonly series: Series;
  readonly firstSequence: number;
  readonly statistics: Statistics;
  /** Returns its samples in the order in which they were taken; none if it is damaged or gone. */
  load(): SampleColumns;
}

/** Channels of an asset and a range of time, the end excluded. */
export interface SourceRange {
  /** Pid of the asset. */
  readonly asset: string;
  readonly channels: readonly string[];
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface BlockSourceOptions {
  readonly tables: HistoryTables;
  /** Blocks in memory; the rows of the same numbers are older. */
  readonly views: readonly BlockView[];
  /** Blocks with a larger number came later. */
  readonly newestId: number;
  readonly range: SourceRange;
  readonly logger: Logger;
}

/** Blocks of one series, the next one first. */
interface Cursor {
  readonly head: SourceBlock;
  /** Returns the following one. */
  readonly next: () => Cursor | undefined;
}

/** The blocks that a reader needs, as they are when it begins. */
export class BlockSource {
  /** Blocks that could not be read. */
  readonly damaged: Gap[] = [];
  readonly #options: BlockSourceOptions;
  readonly #inMemory: ReadonlySet<number>;

  constructor(options: BlockSourceOptions) {
    this.#options = options;
    this.#inMemory = new Set(options.views.map(({ id }) => id));
  }

  /** Lists the blocks in the order of their earliest samples. */
  *list(): Generator<SourceBlock, void, undefined> {
    const cursors = [this.#openViews(), ...this.#openSeries()]
      .filter((cursor) => cursor !== undefined)
      .toSorted((one, other) => fromOf(one) - fromOf(other));
    for (let cursor = cursors.shift(); cursor !== undefined; cursor = cursors.shift()) {
      yield cursor.head;
      const next = cursor.next();
      if (next !== undefined) insert(cursors, next);
    }
  }

  #openViews(): Cursor | undefined {
    const { fromMs, toMs } = this.#options.range;
    const blocks = this.#options.views
      .filter(({ statistics }) => statistics.fromMs < toMs && statistics.toMs >= fromMs)
      .toSorted((one, other) => one.statistics.fromMs - other.statistics.fromMs)
      .map((view): SourceBlock => {
        const { series, firstSequence, statistics } = view;
        const load = (): SampleColumns => decodeSamples(series, view.encode(), statistics.count);
        return { series, firstSequence, statistics, load };
      });
    return toCursor(blocks, 0, () => undefined);
  }

  #openSeries(): readonly (Cursor | undefined)[] {
    const { tables, range } = this.#options;
    return range.channels
      .flatMap((channel) => tables.listSeries(range.asset, channel))
      .map(({ id, series }) => this.#openPage(id, series));
  }

  #openPage(seriesId: number, series: Series, last?: StoredBlock): Cursor | undefined {
    const { tables, range, newestId } = this.#options;
    const after = last === undefined ? {} : { after: { id: last.id, fromMs: last.statistics.fromMs } };
    const page = tables.listBlocks({ ...range, seriesId, newestId, ...after, limit: BLOCKS_IN_PAGE });
    const end = page.at(-1);
    if (end === undefined) return undefined;
    const blocks = page
      .filter(({ id }) => !this.#inMemory.has(id))
      .map((block): SourceBlock => {
        const { firstSequence, statistics } = block;
        return { series, firstSequence, statistics, load: () => this.#load(series, block) };
      });
    const openNext = (): Cursor | undefined => this.#openPage(seriesId, series, end);
    return blocks.length === 0 ? openNext() : toCursor(blocks, 0, openNext);
  }

  #load(series: Series, { id, statistics }: StoredBlock): SampleColumns {
    try {
      const bytes = this.#options.tables.readBytes(id);
      return bytes === undefined
        ? new GrowingColumns(series)
        : unpackSamples(series, bytes, statistics.count);
    } catch (error) {
      if (isDamage(error)) throw error;
      const { asset, channel } = series;
      const { fromMs, toMs, count } = statistics;
      this.#options.logger.error('history.blockUnreadable', { asset, channel, id, reason: messageOf(error) });
      this.damaged.push({ reason: 'DAMAGED', asset, channel, fromMs, toMs, count });
      return new GrowingColumns(series);
    }
  }
}

function toCursor(
  blocks: readonly SourceBlock[],
  index: number,
  otherwise: () => Cursor | undefined,
): Cursor | undefined {
  const head = blocks[index];
  return head === undefined ? otherwise() : { head, next: () => toCursor(blocks, index + 1, otherwise) };
}

function fromOf({ head }: Cursor): number {
  return head.statistics.fromMs;
}

/** Puts a cursor into its place; most often that is near the beginning. */
function insert(cursors: Cursor[], cursor: Cursor): void {
  const fromMs = fromOf(cursor);
  let [low, high] = [0, cursors.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = cursors[middle];
    if (found !== undefined && fromOf(found) <= fromMs) low = middle + 1;
    else high = middle;
  }
  cursors.splice(low, 0, cursor);
}
