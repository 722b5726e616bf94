import type { Store } from '../../base/store/store.ts';
import type { Gap, Series } from '../journal/sample.ts';
import { keyOfSeries } from '../journal/segment-names.ts';
import { GapTable } from './gap-table.ts';
import type { NumberedGap } from './gap-table.ts';
import { MAXIMUM_SPAN_MS } from './open-block.ts';
import { Rows } from './rows.ts';
import type { Row } from './rows.ts';
import type { Statistics } from './statistics.ts';

/** A position in the journal. */
export interface Position {
  readonly sequence: number;
  /** Milliseconds since the epoch at which the gateway took that entry. */
  readonly timeMs: number;
}

/** A block on disk, without its samples. */
export interface StoredBlock {
  readonly id: number;
  readonly firstSequence: number;
  readonly statistics: Statistics;
}

/** A block with its samples as bytes. */
export interface PackedBlock extends StoredBlock {
  readonly series: Series;
  readonly lastSequence: number;
  /** Milliseconds since the epoch at which the gateway took its last sample. */
  readonly takenAtMs: number;
  readonly bytes: Uint8Array;
}

/** The part of a block that determines its retention. */
interface OldBlock extends Pick<PackedBlock, 'id' | 'lastSequence' | 'takenAtMs'> {
  /** Pid of the asset. */
  readonly asset: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
  readonly bytes: number;
}

interface BlockRange {
  readonly seriesId: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Blocks with a larger number are left out. */
  readonly newestId: number;
  /** The block before the first one of the page. */
  readonly after?: Pick<StoredBlock, 'id'> & { readonly fromMs: number };
  readonly limit: number;
}

/** The rows of the history: reads and writes them, and decides nothing. */
export class HistoryTables {
  readonly gaps: GapTable;
  readonly #store: Store;
  readonly #rows: Rows;
  readonly #seriesIds: Map<string, number>;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = new Rows(store.database);
    this.gaps = new GapTable(this.#rows);
    const rows = this.#rows.all('SELECT id, asset, channel, value_type FROM history_series');
    this.#seriesIds = new Map(rows.map((row) => [keyOfSeries(toSeries(row)), Number(row['id'])]));
  }

  /** The entry of the journal up to which everything is stored; undefined: none. */
  get position(): Position | undefined {
    const [row] = this.#rows.all('SELECT sequence, time_ms FROM history_position');
    return row && { sequence: Number(row['sequence']), timeMs: Number(row['time_ms']) };
  }

  /** @throws {StoreFailure} when the disk refuses it */
  putPosition({ sequence, timeMs }: Position): void {
    this.#store.quickTransaction(() =>
      this.#rows.run(
        'INSERT OR REPLACE INTO history_position VALUES (1, ?, ?)',
        sequence,
        Math.round(timeMs),
      ),
    );
  }

  /** Lists the numbers of the newest stored samples by the keys of their series. */
  listStoredSequences(): ReadonlyMap<string, number> {
    const rows = this.#rows.all('SELECT asset, channel, value_type, stored_sequence FROM history_series');
    return new Map(rows.map((row) => [keyOfSeries(toSeries(row)), Number(row['stored_sequence'])]));
  }

  /** Number of the newest block; 0: none. */
  get newestBlock(): number {
    return this.#rows.number('SELECT max(id) AS found FROM history_block');
  }

  /** Milliseconds since the epoch of the newest sample in the newest block; undefined without any. */
  get newestTakenMs(): number | undefined {
    const [row] = this.#rows.all('SELECT taken_ms FROM history_block ORDER BY id DESC LIMIT 1');
    return row === undefined ? undefined : Number(row['taken_ms']);
  }

  /** Bytes that are in use. */
  get bytes(): number {
    const pages = this.#rows.number('SELECT page_count AS found FROM pragma_page_count');
    return (pages - this.freePages) * this.#pageBytes;
  }

  /** Bytes of the file, with those that are not in use. */
  get fileBytes(): number {
    return this.#rows.number('SELECT page_count AS found FROM pragma_page_count') * this.#pageBytes;
  }

  /** Pages of the file that hold nothing. */
  get freePages(): number {
    return this.#rows.number('SELECT freelist_count AS found FROM pragma_freelist_count');
  }

  get #pageBytes(): number {
    return this.#rows.number('SELECT page_size AS found FROM pragma_page_size');
  }

  /** Gives pages that hold nothing back to the disk. */
  releasePages(count: number): void {
    this.#store.database.exec(`PRAGMA incremental_vacuum(${count})`);
  }

  /** Forgets which numbers were stored: those of another journal mean nothing. */
  forgetSequences(): void {
    this.#store.quickTransaction(() => {
      this.#rows.run('UPDATE history_series SET stored_sequence = 0');
      this.#rows.run('DELETE FROM history_position');
      this.gaps.forgetSequences();
    });
  }

  /**
   * Writes blocks and gaps; a block replaces the one with the same number.
   *
   * @throws {StoreFailure} when the disk refuses them
   */
  put(blocks: readonly PackedBlock[], gaps: readonly NumberedGap[]): void {
    this.#store.quickTransaction(() => {
      for (const block of blocks) this.#putBlock(block);
      for (const gap of gaps) this.gaps.put(gap);
    });
  }

  /** Lists the series of a channel, of any value type. */
  listSeries(asset: string, channel: string): readonly { readonly id: number; readonly series: Series }[] {
    const rows = this.#rows.all(
      'SELECT id, asset, channel, value_type FROM history_series WHERE asset = ? AND channel = ?',
      asset,
      channel,
    );
    return rows.map((row) => ({ id: Number(row['id']), series: toSeries(row) }));
  }

  /** Lists blocks of a series with samples in a range of time, in the order of their earliest sample. */
  listBlocks({ seriesId, fromMs, toMs, newestId, after, limit }: BlockRange): readonly StoredBlock[] {
    const beginMs = fromMs - MAXIMUM_SPAN_MS;
    const rows = this.#rows.all(
      `SELECT id, first_sequence, from_ms, to_ms, count, good, valued, numbers, sum, minimum, maximum
         FROM history_block INDEXED BY history_block_time
         WHERE series = ? AND from_ms >= ? AND (from_ms, id) > (?, ?) AND from_ms < ? AND to_ms >= ? AND id <= ?
         ORDER BY from_ms, id LIMIT ?`,
      seriesId,
      Math.max(beginMs, after?.fromMs ?? beginMs),
      after?.fromMs ?? beginMs,
      after?.id ?? 0,
      toMs,
      fromMs,
      newestId,
      limit,
    );
    return rows.map((row) => ({
      id: Number(row['id']),
      firstSequence: Number(row['first_sequence']),
      statistics: toStatistics(row),
    }));
  }

  /** Returns the samples of a block as bytes; undefined if the block is gone. */
  readBytes(id: number): Uint8Array | undefined {
    const [row] = this.#rows.all('SELECT bytes FROM history_block WHERE id = ?', id);
    return row?.['bytes'] as Uint8Array | undefined;
  }

  /** Lists the oldest blocks for retention. */
  listOldest(limit: number): readonly OldBlock[] {
    const rows = this.#rows.all(
      `SELECT history_block.id, asset, taken_ms, last_sequence, from_ms, to_ms, count, length(bytes) AS bytes
         FROM history_block JOIN history_series ON history_series.id = series
         ORDER BY history_block.id LIMIT ?`,
      limit,
    );
    return rows.map((row) => ({
      id: Number(row['id']),
      asset: String(row['asset']),
      takenAtMs: Number(row['taken_ms']),
      lastSequence: Number(row['last_sequence']),
      fromMs: Number(row['from_ms']),
      toMs: Number(row['to_ms']),
      count: Number(row['count']),
      bytes: Number(row['bytes']),
    }));
  }

  /**
   * Deletes the oldest blocks and the gaps from before them, and notes them as gaps.
   *
   * @throws {StoreFailure} when the disk refuses it
   */
  deleteBlocks(upToId: number, beforeSequence: number, gaps: readonly Gap[]): void {
    this.#store.quickTransaction(() => {
      this.#rows.run('DELETE FROM history_block WHERE id <= ?', upToId);
      this.gaps.deleteBefore(beforeSequence);
      for (const gap of gaps) this.gaps.extend(gap);
    });
  }

  /** Returns bytes and earliest time of the blocks of some channels. */
  measure(channels: readonly { readonly asset: string; readonly channel: string }[]): {
    readonly bytes: number;
    readonly oldestMs: number | undefined;
  } {
    let [bytes, oldestMs] = [0, Infinity];
    for (const { asset, channel } of channels) {
      for (const { id } of this.listSeries(asset, channel)) {
        const [row] = this.#rows.all(
          'SELECT sum(length(bytes)) AS bytes, min(from_ms) AS oldest FROM history_block WHERE series = ?',
          id,
        );
        bytes += Number(row?.['bytes'] ?? 0);
        oldestMs = Math.min(oldestMs, Number(row?.['oldest'] ?? Infinity));
      }
    }
    return { bytes, oldestMs: oldestMs === Infinity ? undefined : oldestMs };
  }

  #putBlock(block: PackedBlock): void {
    const { id, series, firstSequence, lastSequence, takenAtMs, bytes, statistics } = block;
    const { fromMs, toMs, count, good, valued, numbers, sum, minimum, maximum } = statistics;
    this.#rows.run(
      'INSERT OR REPLACE INTO history_block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      id,
      this.#idOf(series, lastSequence),
      firstSequence,
      lastSequence,
      Math.round(fromMs),
      Math.round(toMs),
      Math.round(takenAtMs),
      count,
      good,
      valued,
      numbers,
      sum,
      minimum ?? null,
      maximum ?? null,
      bytes,
    );
  }

  #idOf(series: Series, lastSequence: number): number {
    const { asset, channel, valueType } = series;
    const key = keyOfSeries(series);
    this.#rows.run(
      `INSERT INTO history_series VALUES (NULL, ?, ?, ?, ?)
         ON CONFLICT (asset, channel, value_type) DO UPDATE SET stored_sequence = max(stored_sequence, excluded.stored_sequence)`,
      asset,
      channel,
      valueType,
      lastSequence,
    );
    const known = this.#seriesIds.get(key);
    if (known !== undefined) return known;
    const found = this.listSeries(asset, channel).find((each) => keyOfSeries(each.series) === key);
    if (found === undefined) throw new Error('a series was not stored');
    this.#seriesIds.set(key, found.id);
    return found.id;
  }
}

function toSeries(row: Row): Series {
  return {
    asset: String(row['asset']),
    channel: String(row['channel']),
    valueType: String(row['value_type']) as Series['valueType'],
  };
}

function toStatistics(row: Row): Statistics {
  const [minimum, maximum] = [row['minimum'], row['maximum']];
  return {
    fromMs: Number(row['from_ms']),
    toMs: Number(row['to_ms']),
    count: Number(row['count']),
    good: Number(row['good']),
    valued: Number(row['valued']),
    numbers: Number(row['numbers']),
    sum: Number(row['sum']),
    minimum: minimum === null ? undefined : Number(minimum),
    maximum: maximum === null ? undefined : Number(maximum),
  };
}
