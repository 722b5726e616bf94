import { quoteError } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
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
import { ChainFault, ChainWalk, createChainFault } from './chain-walk.ts';

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
  readonly fault?: FaultReason | undefined;
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
      if (this.#headState === 'INVALID') throw createChainFault('CHAIN_HEAD_UNSIGNED', {});
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
   * @returns the first fault; undefined: the chain is intact
   */
  *walk(current: () => ChainState): Generator<undefined, FaultReason | undefined> {
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
    if (this.#headState !== undefined || linked !== undefined)
      throw createChainFault('CHAIN_CHECKPOINT_MISSING', {});
    return { state: this.#createBeginning(), isSealed: false };
  }

  /** Returns the state before the first event of a chain; events of a release without chain may precede it. */
  #createBeginning(): ChainState {
    const lastId = this.findFreeId() - 1;
    return { startId: lastId + 1, lastId, hash: CHAIN_ORIGIN, gaps: digestGaps([]), timeMs: 0 };
  }

  #readCheckpoint({ text, signature }: SignedCheckpoint): ChainState {
    if (!this.#options.key.hasSigned(text, signature)) {
      throw createChainFault('CHAIN_LAST_CHECKPOINT_UNSIGNED', {});
    }
    const state = parseState(text);
    if (state === undefined || toBucket(state) !== this.#options.chain.findLastBucket()) {
      throw createChainFault('CHAIN_LAST_CHECKPOINT_UNREADABLE', {});
    }
    return state;
  }

  /** Returns the state after the events stored since the signed state. */
  #walkTail(signed: ChainState): ChainState {
    const { database } = this.#options.store;
    const [last] = database.prepare('SELECT hash FROM audit_event WHERE id = ?').all(signed.lastId);
    const isTrimmed = this.#options.chain.listGaps().at(-1)?.lastId === signed.lastId;
    if (last === undefined && !isTrimmed && signed.lastId >= signed.startId) {
      throw createChainFault('CHAIN_EVENT_MISSING', { event: signed.lastId });
    }
    if (last !== undefined && signed.lastId >= signed.startId && toHex(last['hash']) !== signed.hash) {
      throw createChainFault('CHAIN_EVENT_DIFFERS', { event: signed.lastId });
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
      const [first, last] = [state.lastId + 1, headState.lastId];
      if (first === last) throw createChainFault('CHAIN_SIGNED_EVENT_MISSING', { event: last });
      throw createChainFault('CHAIN_SIGNED_EVENTS_MISSING', { first, last });
    }
    const row = this.#options.store.database
      .prepare('SELECT hash FROM audit_event WHERE id = ?')
      .get(headState.lastId);
    if (row === undefined || headState.lastId < state.startId || toHex(row['hash']) === headState.hash)
      return;
    throw createChainFault('CHAIN_EVENT_DIFFERS', { event: headState.lastId });
  }

  /** Checks the events before the chain: without a recorded break, only a release without chain can have stored them. */
  #checkOlder(startId: number): void {
    const { store, chain } = this.#options;
    if (chain.listBreaks().length > 0) return;
    const row = store.database
      .prepare('SELECT id FROM audit_event WHERE id < 1 OR (id < ? AND hash IS NOT NULL) LIMIT 1')
      .get(startId);
    if (row === undefined) return;
    throw createChainFault('CHAIN_EVENT_ADDED', { event: Number(row['id']) });
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

function toFault(error: unknown): FaultReason {
  if (error instanceof ChainFault) return error.reason;
  if (error instanceof StoreError) return quoteError(error);
  if (error instanceof RangeError) return createChainFault('CHAIN_NUMBER_INVALID', {}).reason;
  throw error;
}
