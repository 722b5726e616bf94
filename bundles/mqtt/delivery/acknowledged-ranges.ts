/** Entries after `after`, up to and including `upTo`. */
export interface CursorRange {
  readonly after: number;
  readonly upTo: number;
}

/** Maximum number of separate ranges; the smallest is forgotten beyond it, which repeats its entries and loses none. */
const MAXIMUM_ISLANDS = 1000;

/**
 * Parts of a journal that have arrived at the broker.
 *
 * Live entries arrive while older ones are still to be sent. Only the part without a hole may be acknowledged to the journal; the
 * rest is kept here, so that a connection that breaks repeats nothing that has arrived.
 */
export class AcknowledgedRanges {
  #acknowledged: number;
  /** Ascending, apart from each other and from `#acknowledged`. */
  #islands: CursorRange[] = [];

  /** @param acknowledged cursor that the journal has stored */
  constructor(acknowledged: number) {
    this.#acknowledged = acknowledged;
  }

  /** Returns a copy, which goes its own way. */
  clone(): AcknowledgedRanges {
    const copy = new AcknowledgedRanges(this.#acknowledged);
    copy.#islands = [...this.#islands];
    return copy;
  }

  /** Cursor up to which everything has arrived. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /**
   * Adds a range that has arrived.
   *
   * @returns true if `acknowledged` has moved
   */
  complete({ after, upTo }: CursorRange): boolean {
    if (upTo <= Math.max(after, this.#acknowledged)) return false;
    const merged = { after, upTo };
    const apart: CursorRange[] = [];
    for (const island of this.#islands) {
      if (island.upTo < merged.after || island.after > merged.upTo) {
        apart.push(island);
        continue;
      }
      merged.after = Math.min(merged.after, island.after);
      merged.upTo = Math.max(merged.upTo, island.upTo);
    }
    if (merged.after <= this.#acknowledged) {
      this.#acknowledged = merged.upTo;
      this.#islands = apart;
      return true;
    }
    this.#islands = [...apart, merged].sort((one, other) => one.after - other.after);
    if (this.#islands.length > MAXIMUM_ISLANDS) this.#forgetSmallest();
    return false;
  }

  /** Returns the ranges up to a cursor that have not arrived, in order. */
  missing(upTo: number): readonly CursorRange[] {
    const holes: CursorRange[] = [];
    let after = this.#acknowledged;
    for (const island of this.#islands) {
      if (island.after >= upTo) break;
      holes.push({ after, upTo: island.after });
      after = island.upTo;
    }
    if (after < upTo) holes.push({ after, upTo });
    return holes;
  }

  #forgetSmallest(): void {
    const sizes = this.#islands.map(({ after, upTo }) => upTo - after);
    this.#islands.splice(sizes.indexOf(Math.min(...sizes)), 1);
  }
}
