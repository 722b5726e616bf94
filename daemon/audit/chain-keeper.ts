import type { Store } from '../base/store.ts';
import { CHAIN_ORIGIN, digestGaps, renderState } from './audit-chain.ts';
import type { ChainGap, ChainState, SignedCheckpoint } from './audit-chain.ts';

/** Signs a text; returns the signature in base64. */
export type SignText = (text: string) => string;

// One checkpoint is kept of so many events, and so many checkpoints: of the last million events.
const EVENTS_PER_CHECKPOINT = 1000;
const KEPT_CHECKPOINTS = 1000;

/** Returns the number of the thousand events that a state belongs to: of each, one checkpoint is kept. */
export function toBucket({ lastId }: Pick<ChainState, 'lastId'>): number {
  return Math.floor(lastId / EVENTS_PER_CHECKPOINT);
}

/** An event that was removed, with its hash; without one it is older than the chain. */
export interface RemovedEvent {
  readonly id: number;
  readonly hash: string | undefined;
}

/** Keeps the state of the chain beside the events: its gaps and its checkpoints. Every method is called in a transaction. */
export class ChainKeeper {
  readonly #store: Store;
  readonly #sign: SignText;

  constructor(store: Store, sign: SignText) {
    this.#store = store;
    this.#sign = sign;
  }

  /**
   * Returns the state after the last stored event; before the first event with a hash, the one that this event goes on from.
   * Events may have been stored after the last checkpoint: the process was killed.
   */
  load(): ChainState {
    const { database } = this.#store;
    const row = database.prepare('SELECT content FROM audit_checkpoint ORDER BY bucket DESC LIMIT 1').get();
    if (row === undefined) {
      const sequence = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'audit_event'").get();
      const lastId = Number(sequence?.['seq'] ?? 0);
      return { startId: lastId + 1, lastId, hash: CHAIN_ORIGIN, gaps: digestGaps([]), timeMs: 0 };
    }
    const { time, ...state } = JSON.parse(String(row['content'])) as ChainState & { readonly time: number };
    const last = database.prepare('SELECT id, time_ms, hash FROM audit_event ORDER BY id DESC LIMIT 1').get();
    const lastId = Number(last?.['id'] ?? 0);
    if (lastId <= state.lastId) return { ...state, timeMs: time };
    return { ...state, lastId, hash: toHex(last?.['hash']), timeMs: Number(last?.['time_ms']) };
  }

  /** Returns the thousand of the last checkpoint; undefined when the chain has not begun. */
  findLastBucket(): number | undefined {
    const { last } =
      this.#store.database.prepare('SELECT max(bucket) AS last FROM audit_checkpoint').get() ?? {};
    return typeof last === 'number' ? last : undefined;
  }

  /** Notes events that were removed; returns the new digest of the gaps. */
  remove(removed: readonly RemovedEvent[], startId: number): string {
    const ordered = removed.filter(({ id }) => id >= startId).sort((a, b) => a.id - b.id);
    let run: RemovedEvent[] = [];
    for (const event of ordered) {
      if (run.length > 0 && run.at(-1)?.id !== event.id - 1) {
        this.#addGap(run, startId);
        run = [];
      }
      run.push(event);
    }
    this.#addGap(run, startId);
    return digestGaps(this.listGaps());
  }

  /** Signs a state and keeps it: the last one of each thousand events, and the last one of all. */
  save(state: ChainState): void {
    const content = renderState(state);
    const { database } = this.#store;
    const bucket = toBucket(state);
    database
      .prepare('INSERT OR REPLACE INTO audit_checkpoint (bucket, content, signature) VALUES (?, ?, ?)')
      .run(bucket, content, this.#sign(content));
    database.prepare('DELETE FROM audit_checkpoint WHERE bucket <= ?').run(bucket - KEPT_CHECKPOINTS);
  }

  /** Returns the checkpoints in ascending order. */
  listCheckpoints(): readonly SignedCheckpoint[] {
    return this.#store.database
      .prepare('SELECT content, signature FROM audit_checkpoint ORDER BY bucket')
      .all()
      .map(({ content, signature }) => ({ text: String(content), signature: String(signature) }));
  }

  /** Returns the gaps in ascending order. */
  listGaps(): readonly ChainGap[] {
    return this.#store.database
      .prepare('SELECT first_id, last_id, before, after FROM audit_gap ORDER BY first_id')
      .all()
      .map((row) => toGap(row));
  }

  #addGap(run: readonly RemovedEvent[], startId: number): void {
    const [first] = run;
    const last = run.at(-1);
    if (first === undefined || last === undefined) return;
    const left = this.#takeGap('last_id', first.id - 1);
    const right = this.#takeGap('first_id', last.id + 1);
    const before = left?.before ?? (first.id === startId ? CHAIN_ORIGIN : this.#hashOf(first.id - 1));
    this.#store.database
      .prepare('INSERT INTO audit_gap (first_id, last_id, before, after) VALUES (?, ?, ?, ?)')
      .run(
        left?.firstId ?? first.id,
        right?.lastId ?? last.id,
        Buffer.from(before, 'hex'),
        right === undefined ? Buffer.from(last.hash ?? '', 'hex') : Buffer.from(right.after, 'hex'),
      );
  }

  #takeGap(column: 'first_id' | 'last_id', id: number): ChainGap | undefined {
    const row = this.#store.database.prepare(`DELETE FROM audit_gap WHERE ${column} = ? RETURNING *`).get(id);
    return row === undefined ? undefined : toGap(row);
  }

  #hashOf(id: number): string {
    const row = this.#store.database.prepare('SELECT hash FROM audit_event WHERE id = ?').get(id);
    return toHex(row?.['hash']);
  }
}

function toGap(row: Readonly<Record<string, unknown>>): ChainGap {
  const { first_id: firstId, last_id: lastId, before, after } = row;
  return { firstId: Number(firstId), lastId: Number(lastId), before: toHex(before), after: toHex(after) };
}

/** Returns the hexadecimal form of a stored hash; empty when there is none. */
export function toHex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}
