import { chainHash, CHAIN_ORIGIN } from './audit-chain.ts';
import type { ChainedEvent, ChainGap, ChainState } from './audit-chain.ts';

/** The chain is broken; the message describes the location. */
export class ChainFault extends Error {}

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
        throw new ChainFault(`event ${event.id} was added: it is in a range of removed events`);
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
    if (this.#nextId > lastId + 1) throw new ChainFault(`the events after ${lastId} are not signed`);
    if (this.#hash !== hash) throw new ChainFault(`event ${lastId} was changed, or an earlier one`);
  }

  #take({ id, text, hash }: ChainedEvent): void {
    if (id !== this.#nextId) throw this.#missing(id - 1);
    if (!text.startsWith(`{"id":${id},`)) throw new ChainFault(`event ${id} was changed`);
    if (hash === undefined || hash !== chainHash(this.#hash, text)) {
      throw new ChainFault(`event ${id} was changed, or an earlier one`);
    }
    this.#reach(id, hash);
    this.#verified += 1;
  }

  #skip(gap: ChainGap | undefined): void {
    if (gap === undefined) return;
    if (gap.firstId > this.#nextId) throw this.#missing(gap.firstId - 1);
    if (gap.firstId === this.#nextId && gap.before !== this.#hash) {
      throw new ChainFault(`event ${gap.firstId - 1} was changed, or an earlier one`);
    }
    this.#trimmed += gap.lastId - this.#nextId + 1;
    this.#reach(gap.lastId, gap.after);
  }

  #reach(id: number, hash: string): void {
    const expected = this.#expected.get(id);
    if (expected !== undefined && expected !== hash) {
      throw new ChainFault(`event ${id} differs from the signed one`);
    }
    this.#hash = hash;
    this.#nextId = id + 1;
  }

  #missing(lastId: number): ChainFault {
    const events = this.#nextId === lastId ? `event ${lastId} is` : `events ${this.#nextId} to ${lastId} are`;
    return new ChainFault(`${events} missing`);
  }
}
