import type { StatementSync } from 'node:sqlite';

import type { FaultReason } from '../../base/fault-reason.ts';
import { finish } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import type { AuditEvent } from './audit-event.ts';
import type {
  AuditFilter,
  AuditPage,
  AuditStore,
  ChainPage,
  ChainRange,
  StoredAnnouncement,
} from './audit-store.ts';
import { chainHash, renderEvent } from './audit-chain.ts';
import type { ChainedEvent, ChainState, RecordedBreak } from './audit-chain.ts';
import type { AuditKey } from './audit-key.ts';
import { Announcements } from './announcements.ts';
import { toChained, toHex } from './audit-row.ts';
import type { ChainHead, HeadState } from './chain-head.ts';
import { ChainInspection } from './chain-inspection.ts';
import { ChainKeeper, toBucket } from './chain-keeper.ts';
import { planGaps } from './gap-plan.ts';
import type { GapPlan, RemovedEvent } from './gap-plan.ts';
import { RowCounts, toKind, planRetention } from './row-counts.ts';
import { searchEvents } from './search-events.ts';

/** Tables of this module. */
export const auditMigrations: Migrations = {
  module: 'audit',
  steps: [
    // AUTOINCREMENT: ids of deleted events are never reused. An index stores the ids of each value in order: one finds the oldest
    // events of a kind, the other the newest events of a name without sorting.
    `CREATE TABLE audit_event (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       time_ms INTEGER NOT NULL,
       event TEXT NOT NULL,
       outcome TEXT NOT NULL,
       identity TEXT,
       method TEXT,
       address TEXT,
       request_id TEXT,
       target TEXT,
       detail TEXT
     ) STRICT;
     CREATE INDEX audit_event_kind ON audit_event (event, outcome);
     CREATE INDEX audit_event_name ON audit_event (event);`,
    // Finds the oldest events of a kind and identity; replaces the index by kind.
    `CREATE INDEX audit_event_identity ON audit_event (event, outcome, identity);
     DROP INDEX audit_event_kind;`,
    // Existing events remain without hash: the chain starts with the next event.
    `ALTER TABLE audit_event ADD COLUMN hash BLOB;
     CREATE TABLE audit_gap (
       first_id INTEGER PRIMARY KEY,
       last_id INTEGER NOT NULL UNIQUE,
       before BLOB NOT NULL,
       after BLOB NOT NULL
     ) STRICT;
     CREATE TABLE audit_checkpoint (
       bucket INTEGER PRIMARY KEY,
       content TEXT NOT NULL,
       signature TEXT NOT NULL
     ) STRICT;`,
    `CREATE TABLE audit_cursor (name TEXT PRIMARY KEY, event_id INTEGER NOT NULL) STRICT;`,
    `CREATE TABLE audit_break (first_id INTEGER PRIMARY KEY, fault TEXT NOT NULL, time_ms INTEGER NOT NULL) STRICT;`,
    `CREATE TABLE audit_announcement (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL) STRICT;`,
  ],
};

/** Default maximum of stored events: about 30 MB. */
export const MAXIMUM_EVENTS = 100_000;

/** Fraction of the events that one retention removes, because each of its steps digests all gaps of the chain. */
const TRIMMED_PART = 1 / 100;
/** Fraction beyond the bound from which on `append` itself removes events. */
const SURPLUS_PART = 1 / 20;
/** Events of one step of retention, and of one append unless it adds more than half of that: more would make others wait. */
const REMOVED_AT_ONCE = 200;

/** A planned removal of events. */
interface Removal extends GapPlan {
  /** Number of removals before its planning; it is void after another one. */
  readonly basis: number;
  readonly events: readonly RemovedEvent[];
  readonly groups: readonly { readonly kind: string; readonly identity: string; readonly count: number }[];
}

interface SqliteAuditStoreOptions {
  readonly store: Store;
  /** Signs the chain of events. */
  readonly key: Pick<AuditKey, 'sign' | 'hasSigned'>;
  /** End of the chain, stored outside the database. */
  readonly head: ChainHead;
  readonly maximumEvents?: number;
}

/** Creates the store; counts the stored events and verifies the end of their chain immediately. */
export function createSqliteAuditStore(options: SqliteAuditStoreOptions): AuditStore {
  return new SqliteAuditStore(options);
}

class SqliteAuditStore implements AuditStore {
  readonly #store: Store;
  readonly #maximumEvents: number;
  readonly #chain: ChainKeeper;
  readonly #head: ChainHead;
  readonly #inspection: ChainInspection;
  readonly #announcements: Announcements;
  /** State stored outside the database. */
  #headState: HeadState;
  readonly #insertion: StatementSync;
  #state: ChainState;
  // Undefined after a failure: counted again.
  #counts: RowCounts | undefined;
  /** Bucket of the last checkpoint; undefined: no checkpoint. */
  #bucket: number | undefined;
  #isSealed: boolean;
  /** Number of changes of the gaps so far. */
  #removals = 0;
  #fault: FaultReason | undefined;

  constructor({ store, key, head, maximumEvents = MAXIMUM_EVENTS }: SqliteAuditStoreOptions) {
    this.#store = store;
    this.#maximumEvents = maximumEvents;
    this.#head = head;
    this.#chain = new ChainKeeper(store, key);
    this.#inspection = new ChainInspection({ store, key, head, chain: this.#chain });
    this.#insertion = store.database.prepare(
      `INSERT INTO audit_event (id, time_ms, event, outcome, identity, method, address, request_id, target, detail, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#announcements = new Announcements(store);
    const { state, fault, isSealed, headState } = this.#inspection.findEnd();
    this.#headState = headState;
    this.#state = state;
    this.#fault = fault;
    this.#isSealed = isSealed;
    this.#bucket = fault === undefined ? this.#chain.findLastBucket() : undefined;
    this.#counts = RowCounts.of(store);
  }

  append(events: readonly AuditEvent[], settled: Iterable<number> = []): void {
    let counts = this.#counts;
    this.#counts = undefined;
    this.#state = this.#store.quickTransaction(() => {
      const before = this.#fault === undefined ? this.#state : this.#startNewChain(this.#fault, events);
      counts = before === this.#state && counts !== undefined ? counts : RowCounts.of(this.#store);
      const appended = this.#insert(before, events, counts);
      this.#announcements.remove(settled);
      const isSurplus = counts.total > this.#maximumEvents + Math.floor(this.#maximumEvents * SURPLUS_PART);
      // The first checkpoint defines the start of the chain.
      if (!isSurplus && before === this.#state && this.#bucket === toBucket(appended)) return appended;
      // A plan of retention is of the gaps before.
      if (isSurplus || before !== this.#state) this.#removals += 1;
      if (!isSurplus) return this.#save(appended);
      const atOnce = Math.max(REMOVED_AT_ONCE, 2 * events.length);
      const removal = finish(this.#planRemoval(counts, appended.startId, atOnce));
      const reached = this.#remove(removal, appended);
      subtract(counts, removal);
      return reached;
    });
    this.#fault = undefined;
    this.#counts = counts;
    this.#bucket = toBucket(this.#state);
    this.#isSealed = false;
  }

  get isFull(): boolean {
    return this.#counts !== undefined && this.#counts.total > this.#maximumEvents;
  }

  *retain(): Slices<void> {
    // After a failure, the next append counts again.
    while (this.#counts !== undefined && this.#counts.total > this.#retained && !this.#hasFault) {
      const removal = yield* this.#planRemoval(this.#counts, this.#state.startId, REMOVED_AT_ONCE);
      if (removal.events.length === 0) return;
      if (removal.basis !== this.#removals) continue;
      // The state of a broken chain is never signed again.
      if (this.#hasFault) return;
      this.#state = this.#store.quickTransaction(() => this.#remove(removal, this.#state));
      this.#removals += 1;
      this.#bucket = toBucket(this.#state);
      if (this.#counts !== undefined) subtract(this.#counts, removal);
      yield;
    }
  }

  announce(announcements: readonly (readonly AuditEvent[])[]): readonly number[] {
    return this.#store.quickTransaction(() => announcements.map((events) => this.#announcements.add(events)));
  }

  listAnnouncements(): readonly StoredAnnouncement[] {
    return this.#announcements.list();
  }

  get unstored(): number {
    return this.#headState.unstored;
  }

  noteUnstored(count: number): void {
    if (count === this.#headState.unstored) return;
    this.#headState = { ...this.#headState, unstored: count };
    this.#head.write(this.#headState);
  }

  get lastId(): number {
    return this.#state.lastId;
  }

  get fault(): FaultReason | undefined {
    return this.#fault;
  }

  listBreaks(): readonly RecordedBreak[] {
    return this.#chain.listBreaks();
  }

  *inspect(): Generator<undefined, void> {
    const { startId } = this.#state;
    const portions = this.#inspection.walk(() => this.#state);
    // A break recorded during the inspection has started a new chain.
    while (this.#fault === undefined && this.#state.startId === startId) {
      const { done = false, value: fault } = portions.next();
      if (done) {
        this.#fault = fault;
        return;
      }
      yield;
    }
  }

  seal(): void {
    // The state of a broken chain is never signed again.
    if (this.#isSealed || this.#fault !== undefined) return;
    const { lastId, hash } = this.#state;
    this.#store.transaction(() => this.#chain.save(this.#state));
    this.#bucket = toBucket(this.#state);
    this.#isSealed = true;
    this.#headState = { lastId, hash, unstored: this.#headState.unstored };
    this.#head.write(this.#headState);
  }

  readLinks({ after, limit }: ChainRange): readonly ChainedEvent[] {
    return this.#store.database
      .prepare('SELECT * FROM audit_event WHERE id > ? ORDER BY id LIMIT ?')
      .all(after, limit)
      .map((columns) => toChained(columns));
  }

  *readChain({ after, limit }: ChainRange): Slices<ChainPage | undefined> {
    // One event more than requested shows whether this is the last part.
    const links = this.readLinks({ after, limit: limit + 1 });
    const events = links.slice(0, limit);
    if (links.length > limit) return { events };
    const { gaps: digest } = this.#state;
    const [breaks, checkpoints] = [this.#chain.listBreaks(), this.#chain.listCheckpoints()];
    const gaps = yield* this.#chain.loadGaps();
    if (this.#state.gaps !== digest) return undefined;
    return { events, gaps, ...(breaks.length === 0 ? {} : { breaks }), checkpoints };
  }

  query(filter: AuditFilter): Slices<AuditPage> {
    return searchEvents(this.#store, filter);
  }

  #startNewChain({ message: fault }: FaultReason, [first]: readonly AuditEvent[]): ChainState {
    const firstId = this.#inspection.findFreeId();
    return this.#chain.startNewChain({ firstId, fault, timeMs: first?.timeMs ?? 0 });
  }

  #insert(before: ChainState, events: readonly AuditEvent[], counts: RowCounts): ChainState {
    let { lastId: id, hash } = before;
    for (const appended of events) {
      const { timeMs, event, outcome, identity, method, address, requestId, target, detail } = appended;
      id += 1;
      const detailText = detail === undefined ? undefined : JSON.stringify(detail);
      hash = chainHash(hash, renderEvent({ ...appended, id }, detailText));
      this.#insertion.run(
        id,
        timeMs,
        event,
        outcome,
        identity ?? null,
        method ?? null,
        address ?? null,
        requestId ?? null,
        target ?? null,
        detailText ?? null,
        Buffer.from(hash, 'hex'),
      );
      counts.add(toKind(event, outcome), identity, 1);
    }
    return { ...before, lastId: id, hash, timeMs: events.at(-1)?.timeMs ?? before.timeMs };
  }

  get #hasFault(): boolean {
    return this.#fault !== undefined;
  }

  /** Number of events that remain after retention. */
  get #retained(): number {
    return this.#maximumEvents - Math.floor(this.#maximumEvents * TRIMMED_PART);
  }

  /** Plans which events a removal takes, and the gaps that it leaves; changes nothing. */
  *#planRemoval(counts: RowCounts, startId: number, atOnce: number): Slices<Removal> {
    const { database } = this.#store;
    const basis = this.#removals;
    const totals = counts.byKind();
    const events: RemovedEvent[] = [];
    const groups: Removal['groups'][number][] = [];
    const select = database.prepare(
      'SELECT id, hash FROM audit_event WHERE event = ? AND outcome = ? AND identity IS ? ORDER BY id LIMIT ?',
    );
    const retained = Math.max(this.#retained, counts.total - atOnce);
    for (const [kind, surplusOfKind] of planRetention(totals, retained)) {
      const [event = '', outcome = ''] = kind.split(' ');
      const rows = counts.ofKind(kind);
      for (const [identity, surplus] of planRetention(rows, (totals.get(kind) ?? 0) - surplusOfKind)) {
        yield;
        for (const { id, hash } of select.all(event, outcome, identity === '' ? null : identity, surplus))
          events.push({ id: Number(id), hash: toHex(hash) || undefined });
        groups.push({ kind, identity, count: surplus });
      }
    }
    return { basis, events, groups, ...(yield* planGaps(database, events, startId)) };
  }

  /** Makes a planned removal, within the transaction of the caller; returns the state after it. */
  #remove({ events, gaps, digest }: Removal, before: ChainState): ChainState {
    const remove = this.#store.database.prepare('DELETE FROM audit_event WHERE id = ?');
    for (const { id } of events) remove.run(id);
    this.#chain.storeGaps(gaps);
    return this.#save({ ...before, gaps: digest });
  }

  #save(state: ChainState): ChainState {
    this.#chain.save(state);
    return state;
  }
}

/** Takes removed events off the counts. */
function subtract(counts: RowCounts, { groups }: Removal): void {
  for (const { kind, identity, count } of groups) counts.add(kind, identity, -count);
}
