import type { Slices } from '../../base/slices.ts';
import type { Store } from '../../base/store/store.ts';
import { CHAIN_ORIGIN, digestBreaks, digestGaps, renderState } from './audit-chain.ts';
import type { ChainGap, ChainState, RecordedBreak, SignedCheckpoint } from './audit-chain.ts';
import type { AuditKey } from './audit-key.ts';
import { toBreak, toGap } from './audit-row.ts';

// One checkpoint for each thousand events, and a thousand checkpoints: the last million events.
const EVENTS_PER_CHECKPOINT = 1000;
const KEPT_CHECKPOINTS = 1000;
const KEPT_BREAKS = 100;
const GAPS_OF_STEP = 1000;

/** Returns the bucket of a state: a range of a thousand events, with one stored checkpoint each. */
export function toBucket({ lastId }: Pick<ChainState, 'lastId'>): number {
  return Math.floor(lastId / EVENTS_PER_CHECKPOINT);
}

/** Stores gaps, breaks and checkpoints of the chain. Every method must be called in a transaction. */
export class ChainKeeper {
  readonly #store: Store;
  readonly #key: Pick<AuditKey, 'sign' | 'hasSigned'>;

  constructor(store: Store, key: Pick<AuditKey, 'sign' | 'hasSigned'>) {
    this.#store = store;
    this.#key = key;
  }

  /** Returns the bucket of the last checkpoint; undefined before the first event of the chain. */
  findLastBucket(): number | undefined {
    const { last } =
      this.#store.database.prepare('SELECT max(bucket) AS last FROM audit_checkpoint').get() ?? {};
    return typeof last === 'number' ? last : undefined;
  }

  /** Stores planned gaps. */
  storeGaps(gaps: readonly ChainGap[]): void {
    const { database } = this.#store;
    const replaced = database.prepare('DELETE FROM audit_gap WHERE first_id BETWEEN ? AND ?');
    const insert = database.prepare(
      'INSERT INTO audit_gap (first_id, last_id, before, after) VALUES (?, ?, ?, ?)',
    );
    for (const { firstId, lastId, before, after } of gaps) {
      replaced.run(firstId, lastId);
      insert.run(firstId, lastId, Buffer.from(before, 'hex'), Buffer.from(after, 'hex'));
    }
  }

  /** Signs and stores a state; it replaces the previous checkpoint of its bucket. */
  save(state: ChainState): void {
    const content = renderState(state);
    const { database } = this.#store;
    const bucket = toBucket(state);
    database
      .prepare('INSERT OR REPLACE INTO audit_checkpoint (bucket, content, signature) VALUES (?, ?, ?)')
      .run(bucket, content, this.#key.sign(content));
    database.prepare('DELETE FROM audit_checkpoint WHERE bucket <= ?').run(bucket - KEPT_CHECKPOINTS);
  }

  /** Lists the checkpoints in ascending order. */
  listCheckpoints(): readonly SignedCheckpoint[] {
    return this.#store.database
      .prepare('SELECT content, signature FROM audit_checkpoint ORDER BY bucket')
      .all()
      .map(({ content, signature }) => ({ text: String(content), signature: String(signature) }));
  }

  /** Lists the gaps in ascending order: all, or those that overlap a range of ids. */
  listGaps({ afterId = 0, untilId = Number.MAX_SAFE_INTEGER } = {}): readonly ChainGap[] {
    return this.#store.database
      .prepare(
        // Gaps do not overlap: the first one of the range is found by its start, which is the key.
        `SELECT first_id, last_id, before, after FROM audit_gap
         WHERE first_id BETWEEN coalesce((SELECT max(first_id) FROM audit_gap WHERE first_id <= ?1), 0) AND ?2 AND +last_id >= ?1
         ORDER BY first_id`,
      )
      .all(afterId, untilId)
      .map((row) => toGap(row));
  }

  /** Reads all gaps in ascending order, in steps. */
  *loadGaps(): Slices<readonly ChainGap[]> {
    const select = this.#store.database.prepare(
      'SELECT * FROM audit_gap WHERE first_id > ? ORDER BY first_id LIMIT ?',
    );
    const gaps: ChainGap[] = [];
    for (;;) {
      const rows = select.all(gaps.at(-1)?.firstId ?? 0, GAPS_OF_STEP);
      for (const row of rows) gaps.push(toGap(row));
      yield;
      // Without a further query: retention may add gaps in each turn.
      if (rows.length < GAPS_OF_STEP) return gaps;
    }
  }

  /** Lists the recorded breaks in ascending order. */
  listBreaks(): readonly RecordedBreak[] {
    return this.#store.database
      .prepare(
        `SELECT first_id, fault, audit_break.time_ms, detail FROM audit_break
         LEFT JOIN audit_event ON id = first_id AND event = 'AUDIT_BROKEN' ORDER BY first_id`,
      )
      .all()
      .map((row) => toBreak(row));
  }

  /**
   * Starts a new chain after a break. Earlier events remain, as do checkpoints signed by this gateway.
   *
   * @returns the state before the first event of the new chain
   */
  startNewChain({ firstId, fault, timeMs }: RecordedBreak): ChainState {
    const { database } = this.#store;
    database.exec('DELETE FROM audit_gap');
    this.#removeForged(firstId);
    const { known } = database.prepare('SELECT count(*) AS known FROM audit_break').get() ?? {};
    // The oldest breaks and the newest one are retained.
    if (Number(known) >= KEPT_BREAKS) {
      database.exec('DELETE FROM audit_break WHERE first_id = (SELECT max(first_id) FROM audit_break)');
    }
    database
      .prepare('INSERT OR REPLACE INTO audit_break (first_id, fault, time_ms) VALUES (?, ?, ?)')
      .run(firstId, fault, timeMs);
    const breaks = digestBreaks(this.listBreaks());
    const lists = { gaps: digestGaps([]), breaks };
    return { startId: firstId, lastId: firstId - 1, hash: CHAIN_ORIGIN, ...lists, timeMs };
  }

  #removeForged(firstId: number): void {
    const { database } = this.#store;
    const rows = database.prepare('SELECT bucket, content, signature FROM audit_checkpoint');
    rows.setReadBigInts(true);
    const remove = database.prepare('DELETE FROM audit_checkpoint WHERE bucket = ?');
    for (const { bucket, content, signature } of rows.all()) {
      const isOurs = this.#key.hasSigned(String(content), String(signature));
      if (!isOurs || Number(bucket) > toBucket({ lastId: firstId })) remove.run(bucket ?? null);
    }
    // No gateway has assigned such an id.
    database.prepare('DELETE FROM audit_event WHERE id >= ? OR id < 1').run(firstId);
    database.prepare('DELETE FROM audit_break WHERE first_id >= ?').run(firstId);
  }
}
