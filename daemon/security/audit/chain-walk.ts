import { createReason } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import { chainHash, CHAIN_ORIGIN } from './audit-chain.ts';
import type { ChainedEvent, ChainGap, ChainState } from './audit-chain.ts';
import { AUDIT_FAULTS } from './fault-sentences.ts';

/** The chain is broken; the reason describes the location. */
export class ChainFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason) {
    super(reason.message);
    this.reason = reason;
  }
}

/** Returns a fault with the values that its sentence names. */
export function createChainFault<Code extends keyof typeof AUDIT_FAULTS>(
  code: Code,
  parameters: Parameters<typeof createReason<typeof AUDIT_FAULTS, Code>>[2],
): ChainFault {
  return new ChainFault(createReason(AUDIT_FAULTS, code, parameters));
}

/** Walks the events and gaps of a chain in ascending order and verifies the links. */
export class ChainWalk {
  #nextId: number;
  #hash: string;
  readonly #expected: ReadonlyMap<number, string>;
  #verified = 0;
  #trimmed = 0;

  /**
   * @param start id of the first event and its predecessor hash; default: that of the start of a chain
   * @param expected signed hashes by event id
   */
  constructor(
    { nextId, hash = CHAIN_ORIGIN }: { readonly nextId: number; readonly hash?: string },
    expected: ReadonlyMap<number, string> = new Map(),
  ) {
    this.#nextId = nextId;
    this.#hash = hash;
    this.#expected = expected;
  }

  /** Id of the next expected event or gap. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Hash of the last event processed. */
  get hash(): string {
    return this.#hash;
  }

  /** Number of events with a valid hash. */
  get verified(): number {
    return this.#verified;
  }

  /** Number of removed events. */
  get trimmed(): number {
    return this.#trimmed;
  }

  /**
   * Processes further events and gaps, each in ascending order. A gap that has grown since the walk passed its start is skipped to its end.
   *
   * @throws {ChainFault} if an event is missing, was changed or was added
   */
  advance(events: readonly ChainedEvent[], gaps: readonly ChainGap[]): void {
    const following = gaps.filter(({ lastId }) => lastId >= this.#nextId);
    for (const event of events) {
      while (following[0] !== undefined && following[0].firstId <= event.id) this.#skip(following.shift());
      if (event.id < this.#nextId) {
        throw createChainFault('CHAIN_EVENT_ADDED_IN_GAP', { event: event.id });
      }
      this.#take(event);
    }
    for (const gap of following) this.#skip(gap);
  }

  /**
   * Compares the end of the walk with a signed state.
   *
   * @throws {ChainFault} if id or hash differ
   */
  end({ lastId, hash }: Pick<ChainState, 'lastId' | 'hash'>): void {
    if (this.#nextId <= lastId) throw this.#missing(lastId);
    if (this.#nextId > lastId + 1) throw createChainFault('CHAIN_EVENTS_UNSIGNED', { event: lastId });
    if (this.#hash !== hash) throw createChainFault('CHAIN_EVENT_CHANGED_OR_EARLIER', { event: lastId });
  }

  #take({ id, text, hash }: ChainedEvent): void {
    if (id !== this.#nextId) throw this.#missing(id - 1);
    if (!text.startsWith(`{"id":${id},`)) throw createChainFault('CHAIN_EVENT_CHANGED', { event: id });
    if (hash === undefined || hash !== chainHash(this.#hash, text)) {
      throw createChainFault('CHAIN_EVENT_CHANGED_OR_EARLIER', { event: id });
    }
    this.#reach(id, hash);
    this.#verified += 1;
  }

  #skip(gap: ChainGap | undefined): void {
    if (gap === undefined) return;
    if (gap.firstId > this.#nextId) throw this.#missing(gap.firstId - 1);
    if (gap.firstId === this.#nextId && gap.before !== this.#hash) {
      throw createChainFault('CHAIN_EVENT_CHANGED_OR_EARLIER', { event: gap.firstId - 1 });
    }
    this.#trimmed += gap.lastId - this.#nextId + 1;
    this.#reach(gap.lastId, gap.after);
  }

  #reach(id: number, hash: string): void {
    const expected = this.#expected.get(id);
    if (expected !== undefined && expected !== hash) {
      throw createChainFault('CHAIN_EVENT_DIFFERS', { event: id });
    }
    this.#hash = hash;
    this.#nextId = id + 1;
  }

  #missing(lastId: number): ChainFault {
    if (this.#nextId === lastId) return createChainFault('CHAIN_EVENT_MISSING', { event: lastId });
    const range = { first: this.#nextId, last: lastId };
    return createChainFault('CHAIN_EVENTS_MISSING', range);
  }
}
