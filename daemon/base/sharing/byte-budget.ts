import type { Clock } from '../clock.ts';

interface ByteBudgetOptions {
  /** Upper bound of all reservations together. */
  readonly maximumBytes: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Party that is charged for a reservation, and its eviction. */
interface Owner {
  /** Reservations of one party count together. */
  readonly party: string;
  /** Releases the reserved resource. Called at most once, when the budget evicts it for another party. */
  readonly onEvict: () => void;
}

/** Memory reserved by one owner. */
export interface Reservation {
  /**
   * Changes the reserved size.
   *
   * @returns false without capacity; the previous size stays reserved
   */
  resize(bytes: number): boolean;
  /** Changes the reserved size even beyond the budget; others are evicted as far as possible. */
  force(bytes: number): void;
  /** Ends the reservation; safe to call again. */
  release(): void;
}

/** Time without a change after which a reservation counts as stale: its client has stopped reading. */
export const STALE_AFTER_MS = 5000;

/**
 * Bounds the memory that clients occupy: queued requests, bodies, and unread responses.
 *
 * If the sum would exceed the budget, the party with the largest total is evicted: its oldest reservation is released, or, if
 * it is the requester, its request is refused unless it has a stale reservation to release instead.
 */
export class ByteBudget {
  readonly #maximumBytes: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #parties = new Map<string, Party>();
  #reservedBytes = 0;

  constructor({ maximumBytes, clock }: ByteBudgetOptions) {
    this.#maximumBytes = maximumBytes;
    this.#clock = clock;
  }

  /** Sum of all reservations now. */
  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  /** Opens an empty reservation. */
  open(owner: Owner): Reservation {
    const entry: Entry = { owner, bytes: 0, sinceMs: this.#clock.monotonicMs() };
    return {
      resize: (bytes) => {
        if (!this.#evictFor(entry, bytes - entry.bytes)) return false;
        this.#set(entry, bytes);
        return true;
      },
      force: (bytes) => {
        this.#evictFor(entry, bytes - entry.bytes);
        this.#set(entry, bytes);
      },
      release: () => this.#set(entry, 0),
    };
  }

  #evictFor(requester: Entry, growth: number): boolean {
    if (growth <= 0) return true;
    while (this.#reservedBytes + growth > this.#maximumBytes) {
      const victim = this.#findVictim(requester, growth);
      if (victim === undefined) return false;
      this.#set(victim, 0);
      victim.owner.onEvict();
    }
    return true;
  }

  #findVictim(requester: Entry, growth: number): Entry | undefined {
    const own = this.#parties.get(requester.owner.party);
    let largest = own;
    let most = (own?.bytes ?? 0) + growth;
    for (const party of this.#parties.values()) {
      if (party !== own && party.bytes > most) {
        largest = party;
        most = party.bytes;
      }
    }
    const isRequester = largest === own;
    const staleMs = isRequester ? this.#clock.monotonicMs() - STALE_AFTER_MS : Infinity;
    // In the order in which they last changed.
    for (const entry of largest?.entries ?? []) {
      if (entry !== requester) return entry.sinceMs <= staleMs ? entry : undefined;
    }
    return undefined;
  }

  #set(entry: Entry, bytes: number): void {
    if (entry.bytes === bytes) return;
    const { party: name } = entry.owner;
    const party = this.#parties.get(name) ?? { bytes: 0, entries: new Set() };
    party.bytes += bytes - entry.bytes;
    this.#reservedBytes += bytes - entry.bytes;
    entry.bytes = bytes;
    entry.sinceMs = this.#clock.monotonicMs();
    party.entries.delete(entry);
    if (bytes > 0) party.entries.add(entry);
    if (party.entries.size > 0) this.#parties.set(name, party);
    else this.#parties.delete(name);
  }
}

interface Entry {
  readonly owner: Owner;
  bytes: number;
  /** Clock.monotonicMs() of the last change. */
  sinceMs: number;
}

interface Party {
  bytes: number;
  readonly entries: Set<Entry>;
}
