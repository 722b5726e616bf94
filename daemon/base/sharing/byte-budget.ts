import type { Clock } from '../clock.ts';

interface ByteBudgetOptions {
  /** Upper bound of all reservations together. */
  readonly maximumBytes: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** On whose account something is held, and how it is given up. */
interface Owner {
  /** Holdings of one party count together. */
  readonly party: string;
  /** Frees what is held; called at most once, when another party needs the room more. */
  readonly onEvict: () => void;
}

/** The memory that one owner keeps. */
export interface Reservation {
  /**
   * Changes how much is held.
   *
   * @returns false when there is no room; what was held before stays held
   */
  resize(bytes: number): boolean;
  /** Changes how much is held, whether there is room or not; others make room as far as they can. */
  force(bytes: number): void;
  /** Ends the reservation; safe to call again. */
  release(): void;
}

/** Time without a change after which a reservation counts as stale: its client has stopped reading. */
export const STALE_AFTER_MS = 5000;

/**
 * Bounds what clients make the process keep in memory: requests that wait, bodies, and answers that no client reads.
 *
 * When the sum would pass the bound, the party that would hold most gives way: its oldest reservation is given up, or, where
 * it is the one that asks, it is refused unless it has a stale reservation to give up instead.
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

  /** Opens a reservation of nothing. */
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
