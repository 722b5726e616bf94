import { StoreError } from '../../base/store/store.ts';
import type { Store } from '../../base/store/store.ts';
import { CHAIN_ORIGIN, digestGaps, parseState } from './audit-chain.ts';
import type { ChainState, SignedCheckpoint } from './audit-chain.ts';
import type { AuditKey } from './audit-key.ts';
import { toChained, toHex } from './audit-row.ts';
import type { ChainHead, HeadState } from './chain-head.ts';
import type { ChainKeeper } from './chain-keeper.ts';
import { toBucket } from './chain-keeper.ts';
import { checkLists } from './chain-verifier.ts';
import { ChainFault, ChainWalk } from './chain-walk.ts';

interface ChainInspectionOptions {
  readonly store: Store;
  readonly key: Pick<AuditKey, 'hasSigned'>;
  readonly head: ChainHead;
  readonly chain: ChainKeeper;
}

/** End of the stored chain. */
interface FoundEnd {
  /** State after the last stored event. */
  readonly state: ChainState;
  /** Fault that prevents continuing the chain; undefined: none. */
  readonly fault?: string | undefined;
  /** True if checkpoint and head match this state. */
  readonly isSealed: boolean;
  /** State stored outside the database; that of an empty chain if there was none. */
  readonly headState: HeadState;
}

// Larger ids are forged: they would leave no ids for later events.
const MAXIMUM_ID = 2 ** 52;
const ROWS_AT_ONCE = 100;

/** Verifies that the stored chain is the one that this gateway signed. */
export class ChainInspection {
  readonly #options: ChainInspectionOptions;
  #headState: HeadState | 'INVALID' | undefined;

  constructor(options: ChainInspectionOptions) {
    this.#options = options;
  }

  /**
   * Finds the end of the chain: the last checkpoint and the events after it, which exist if the process was killed.
   */
  findEnd(): FoundEnd {
    this.#headState = this.#options.head.read();
    const none = { lastId: 0, hash: CHAIN_ORIGIN, unstored: 0 };
    return { ...this.#findState(), headState: typeof this.#headState === 'object' ? this.#headState : none };
  }

  #findState(): Omit<FoundEnd, 'headState'> {
    const { chain } = this.#options;
    const checkpoint = chain.listCheckpoints().at(-1);
    try {
      if (this.#headState === 'INVALID')
        throw new ChainFault('the head of the chain is not signed by this gateway');
      if (checkpoint === undefined) return this.#findBeginning();
      const signed = this.#readCheckpoint(checkpoint);
      checkLists(signed, chain.listGaps(), chain.listBreaks());
      const state = this.#walkTail(signed);
      this.#compareHead(state, this.#headState);
      const isSealed = signed.lastId === state.lastId && this.#headState?.lastId === state.lastId;
      return { state, isSealed };
    } catch (error) {
      return { state: this.#createBeginning(), fault: toFault(error), isSealed: false };
    }
  }

  /**
   * Walks the stored chain, one portion for each step.
   *
   * @param current state of the chain at the time of a step
   * @returns description of the first fault; undefined: the chain is intact
   */
  *walk(current: () => ChainState): Generator<undefined, string | undefined> {
    const { startId } = current();
    const steps = new ChainWalk({ nextId: startId });
    try {
      this.#checkOlder(startId);
      while (!this.#walkPortion(steps)) yield;
      steps.end(current());
      return undefined;
    } catch (error) {
      return toFault(error);
    }
  }

  /** Returns an id that no event has ever had. */
  findFreeId(): number {
    const { store, chain, key } = this.#options;
    const stored = store.database
      .prepare('SELECT max(id) AS last FROM audit_event WHERE id <= ?')
      .get(MAXIMUM_ID);
    const given = store.database
      .prepare("SELECT max(seq) AS last FROM sqlite_sequence WHERE name = 'audit_event' AND seq <= ?")
      .get(MAXIMUM_ID);
    const signed = chain
      .listCheckpoints()
      .filter(({ text, signature }) => key.hasSigned(text, signature))
      .map(({ text }) => parseState(text)?.lastId ?? 0);
    const headId = typeof this.#headState === 'object' ? this.#headState.lastId : 0;
    return Math.max(Number(stored?.['last'] ?? 0), Number(given?.['last'] ?? 0), headId, ...signed) + 1;
  }

  #findBeginning(): Omit<FoundEnd, 'headState'> {
    const linked = this.#options.store.database
      .prepare('SELECT 1 FROM audit_event WHERE hash IS NOT NULL LIMIT 1')
      .get();
    if (this.#headState !== undefined || linked !== undefined) throw new ChainFault('no checkpoint found');
    return { state: this.#createBeginning(), isSealed: false };
  }

  /** Returns the state before the first event of a chain; events of a release without chain may precede it. */
  #createBeginning(): ChainState {
    const lastId = this.findFreeId() - 1;
    return { startId: lastId + 1, lastId, hash: CHAIN_ORIGIN, gaps: digestGaps([]), timeMs: 0 };
  }

  #readCheckpoint({ text, signature }: SignedCheckpoint): ChainState {
    if (!this.#options.key.hasSigned(text, signature)) {
      throw new ChainFault('the last checkpoint is not signed by this gateway');
    }
    const state = parseState(text);
    if (state === undefined || toBucket(state) !== this.#options.chain.findLastBucket()) {
      throw new ChainFault('cannot read the last checkpoint');
    }
    return state;
  }

  /** Returns the state after the events stored since the signed state. */
  #walkTail(signed: ChainState): ChainState {
    const { database } = this.#options.store;
    const [last] = database.prepare('SELECT hash FROM audit_event WHERE id = ?').all(signed.lastId);
    const isTrimmed = this.#options.chain.listGaps().at(-1)?.lastId === signed.lastId;
    if (last === undefined && !isTrimmed && signed.lastId >= signed.startId) {
      throw new ChainFault(`event ${signed.lastId} is missing`);
    }
    if (last !== undefined && signed.lastId >= signed.startId && toHex(last['hash']) !== signed.hash) {
      throw new ChainFault(`event ${signed.lastId} differs from the signed one`);
    }
    const rows = database.prepare('SELECT * FROM audit_event WHERE id > ? ORDER BY id').all(signed.lastId);
    const steps = new ChainWalk({ nextId: signed.lastId + 1, hash: signed.hash });
    steps.advance(rows.map(toChained), []);
    const timeMs = Number(rows.at(-1)?.['time_ms'] ?? signed.timeMs);
    return { ...signed, lastId: steps.nextId - 1, hash: steps.hash, timeMs };
  }

  #compareHead(state: ChainState, headState: HeadState | undefined): void {
    if (headState === undefined) return;
    if (headState.lastId > state.lastId) {
      const missing =
        headState.lastId === state.lastId + 1
          ? `event ${headState.lastId} is missing: it was`
          : `events ${state.lastId + 1} to ${headState.lastId} are missing: they were`;
      throw new ChainFault(`${missing} signed before`);
    }
    const row = this.#options.store.database
      .prepare('SELECT hash FROM audit_event WHERE id = ?')
      .get(headState.lastId);
    if (row === undefined || headState.lastId < state.startId || toHex(row['hash']) === headState.hash)
      return;
    throw new ChainFault(`event ${headState.lastId} differs from the signed one`);
  }

  /** Checks the events before the chain: without a recorded break, only a release without chain can have stored them. */
  #checkOlder(startId: number): void {
    const { store, chain } = this.#options;
    if (chain.listBreaks().length > 0) return;
    const row = store.database
      .prepare('SELECT id FROM audit_event WHERE id < 1 OR (id < ? AND hash IS NOT NULL) LIMIT 1')
      .get(startId);
    if (row === undefined) return;
    throw new ChainFault(`event ${Number(row['id'])} was added: it is older than the chain`);
  }

  /** Walks one portion; returns true at the end of the chain. */
  #walkPortion(steps: ChainWalk): boolean {
    const { store, chain } = this.#options;
    const rows = store.database
      .prepare('SELECT * FROM audit_event WHERE id >= ? ORDER BY id LIMIT ?')
      .all(steps.nextId, ROWS_AT_ONCE);
    const isAtEnd = rows.length < ROWS_AT_ONCE;
    const lastId = isAtEnd ? MAXIMUM_ID : Number(rows.at(-1)?.['id']);
    steps.advance(rows.map(toChained), chain.listGaps({ afterId: steps.nextId, untilId: lastId }));
    return isAtEnd;
  }
}

function toFault(error: unknown): string {
  if (error instanceof ChainFault || error instanceof StoreError) return error.message;
  if (error instanceof RangeError) return 'the audit event table contains an invalid number';
  throw error;
}
