import { GAP_REASONS } from '../journal/sample.ts';
import type { Gap } from '../journal/sample.ts';
import type { Row, Rows } from './rows.ts';

/** A gap with its number in the journal; 0 for gaps of the history itself. */
export interface NumberedGap {
  readonly gap: Gap;
  readonly sequence: number;
}

/** A gap on disk. */
export type StoredGap = Gap & { readonly id: number };

interface GapRange {
  /** Gaps of other assets are left out; those of all assets are not. */
  readonly asset: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** The gap before the first one of the page. */
  readonly after: Pick<StoredGap, 'id' | 'fromMs'> | undefined;
  readonly limit: number;
}

/** The gaps of the history; changes belong into a transaction of the caller. */
export class GapTable {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Number of the newest gap of the journal; 0: none. */
  get newest(): number {
    return this.#rows.number('SELECT max(sequence) AS found FROM history_gap');
  }

  /** Lists gaps that touch a range of time, in the order of their beginning. */
  list({ asset, fromMs, toMs, after, limit }: GapRange): readonly StoredGap[] {
    const rows = this.#rows.all(
      `SELECT * FROM history_gap
         WHERE (from_ms, id) > (?, ?) AND from_ms < ? AND to_ms >= ? AND (asset IS NULL OR asset = ?)
         ORDER BY from_ms, id LIMIT ?`,
      after?.fromMs ?? Number.MIN_SAFE_INTEGER,
      after?.id ?? 0,
      toMs,
      fromMs,
      asset,
      limit,
    );
    return rows.map(toGap);
  }

  put({ gap, sequence }: NumberedGap): void {
    const { reason, asset = null, channel = null, fromMs, toMs, count } = gap;
    this.#rows.run(
      'INSERT INTO history_gap VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)',
      sequence,
      reason,
      asset,
      channel,
      Math.round(fromMs),
      Math.round(toMs),
      count,
    );
  }

  /** Adds to the gap of an asset with the same reason; what retention took of an asset is one gap, which grows. */
  extend(gap: Gap): void {
    const { reason, asset = null, fromMs, toMs, count } = gap;
    const changes = this.#rows.run(
      `UPDATE history_gap SET from_ms = min(from_ms, ?), to_ms = max(to_ms, ?), count = count + ?
         WHERE sequence = 0 AND reason = ? AND asset = ?`,
      fromMs,
      toMs,
      count,
      reason,
      asset,
    );
    if (changes === 0) this.put({ gap, sequence: 0 });
  }

  /** Deletes the gaps of the journal before a number. */
  deleteBefore(sequence: number): void {
    this.#rows.run('DELETE FROM history_gap WHERE sequence > 0 AND sequence < ?', sequence);
  }

  /** Makes the gaps of the journal those of the history. */
  forgetSequences(): void {
    this.#rows.run('UPDATE history_gap SET sequence = 0 WHERE sequence > 0');
  }
}

function toGap(row: Row): StoredGap {
  const [asset, channel] = [textOf(row['asset']), textOf(row['channel'])];
  return {
    id: Number(row['id']),
    reason: GAP_REASONS.find((each) => each === row['reason']) ?? 'DAMAGED',
    ...(asset === undefined ? {} : { asset }),
    ...(channel === undefined ? {} : { channel }),
    fromMs: Number(row['from_ms']),
    toMs: Number(row['to_ms']),
    count: Number(row['count']),
  };
}

function textOf(column: unknown): string | undefined {
  return typeof column === 'string' ? column : undefined;
}
