import { createAttemptCounter, isInUse } from './attempt-counter.ts';
import type { AttemptCounter } from './attempt-counter.ts';

/** Wrong passwords of one name without delay: typing errors. */
export const FREE_FAILURES = 5;

/** Wrong passwords from one address without delay: more, because a whole plant can be behind one NAT address. */
export const FREE_FAILURES_OF_ADDRESS = 50;

/** Maximum separately counted names of one address, in addition to names that have logged in from there. */
export const MAXIMUM_UNKNOWN_NAMES = 128;

// About 2 MiB.
const MAXIMUM_ENTRIES = 10_000;

/** A name tried from an address. */
interface TriedName {
  readonly counter: AttemptCounter;
  /** Attempts while the address is delayed because of other names; no response reveals them. */
  readonly hidden: AttemptCounter;
  /** Time until which the name counts as having logged in from there; 0: never. */
  knownUntilMs: number;
}

/** An address from which names are tried. */
export interface TriedNetwork {
  readonly counter: AttemptCounter;
  readonly names: Map<string, TriedName>;
  /** Shared counter of all names beyond the bound. */
  readonly others: TriedName;
}

/**
 * Bounded table of addresses and the names tried from them.
 *
 * Names never evict other names: beyond {@link MAXIMUM_UNKNOWN_NAMES} they share one counter. A full table evicts whole addresses,
 * least recently used first, and addresses with a login last. A client therefore cannot reset the counter of its address
 * by inventing names; that would take thousands of other addresses.
 */
export class AttemptTable {
  readonly #maximumEntries: number;
  // Both in order of last use.
  readonly #strange = new Map<string, TriedNetwork>();
  readonly #familiar = new Map<string, TriedNetwork>();
  #entries = 0;

  constructor(maximumEntries = MAXIMUM_ENTRIES) {
    this.#maximumEntries = maximumEntries;
  }

  find(network: string): TriedNetwork | undefined {
    return this.#familiar.get(network) ?? this.#strange.get(network);
  }

  /** Returns the entry of an address, creating it if needed, and marks it as most recently used. */
  open(network: string): TriedNetwork {
    const familiar = this.#familiar.get(network);
    const place = familiar ?? this.#strange.get(network) ?? this.#createNetwork();
    const places = familiar === undefined ? this.#strange : this.#familiar;
    places.delete(network);
    places.set(network, place);
    this.#evict();
    return place;
  }

  /** Returns what is remembered of a name at an address; the shared entry when there is no room for its own. */
  findName({ names, others }: TriedNetwork, name: string, nowMs: number): TriedName | undefined {
    const isFull = () => countStrangers(names) >= MAXIMUM_UNKNOWN_NAMES;
    const present = names.get(name);
    if (present !== undefined || !isFull()) return present;
    this.#forgetUnused(names, nowMs);
    return isFull() ? others : undefined;
  }

  /** Returns the entry of a name at an address, creating it where there is room. */
  openName(network: TriedNetwork, name: string, nowMs: number): TriedName {
    const present = this.findName(network, name, nowMs);
    if (present !== undefined) return present;
    const place = createName();
    this.#addName(network.names, name, place);
    return place;
  }

  /** Records that a name has logged in from an address. */
  recordLogin(network: string, name: string, knownUntilMs: number): TriedName {
    const place = this.open(network);
    const known = place.names.get(name) ?? createName();
    if (!place.names.has(name)) this.#addName(place.names, name, known);
    known.knownUntilMs = knownUntilMs;
    this.#strange.delete(network);
    this.#familiar.set(network, place);
    this.#evict();
    return known;
  }

  /** Removes the entries of a name and its address when they hold nothing that has to be remembered. */
  forgetUnused(network: string, name: string, nowMs: number): void {
    const place = this.find(network);
    if (place === undefined) return;
    const ofName = place.names.get(name);
    if (ofName !== undefined && !isNameInUse(ofName, nowMs)) this.#removeName(place.names, name);
    if (place.names.size > 0 || isInUse(place.counter, nowMs) || isNameInUse(place.others, nowMs)) return;
    this.#strange.delete(network);
    this.#familiar.delete(network);
    this.#entries -= 1;
  }

  #createNetwork(): TriedNetwork {
    this.#entries += 1;
    return {
      counter: createAttemptCounter(FREE_FAILURES_OF_ADDRESS),
      names: new Map(),
      others: createName(),
    };
  }

  #addName(names: Map<string, TriedName>, name: string, place: TriedName): void {
    names.set(name, place);
    this.#entries += 1;
  }

  #removeName(names: Map<string, TriedName>, name: string): void {
    names.delete(name);
    this.#entries -= 1;
  }

  #forgetUnused(names: Map<string, TriedName>, nowMs: number): void {
    for (const [name, place] of names) if (!isNameInUse(place, nowMs)) this.#removeName(names, name);
  }

  #evict(): void {
    for (const places of [this.#strange, this.#familiar]) {
      for (const [network, { names }] of places) {
        // The most recently used one is in use right now.
        if (this.#entries <= this.#maximumEntries || places.size === 1) break;
        places.delete(network);
        this.#entries -= 1 + names.size;
      }
    }
  }
}

function createName(): TriedName {
  return {
    counter: createAttemptCounter(FREE_FAILURES),
    hidden: createAttemptCounter(FREE_FAILURES),
    knownUntilMs: 0,
  };
}

function countStrangers(names: ReadonlyMap<string, TriedName>): number {
  let count = 0;
  for (const { knownUntilMs } of names.values()) if (knownUntilMs === 0) count += 1;
  return count;
}

function isNameInUse({ counter, hidden, knownUntilMs }: TriedName, nowMs: number): boolean {
  return nowMs < knownUntilMs || isInUse(counter, nowMs) || isInUse(hidden, nowMs);
}
