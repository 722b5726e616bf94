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
  readonly #withoutLogin = new Map<string, TriedNetwork>();
  readonly #withLogin = new Map<string, TriedNetwork>();
  #entries = 0;

  constructor(maximumEntries = MAXIMUM_ENTRIES) {
    this.#maximumEntries = maximumEntries;
  }

  find(network: string): TriedNetwork | undefined {
    return this.#withLogin.get(network) ?? this.#withoutLogin.get(network);
  }

  /** Returns the entry of an address, creating it if needed, and marks it as most recently used. */
  open(network: string): TriedNetwork {
    const loggedIn = this.#withLogin.get(network);
    const entry = loggedIn ?? this.#withoutLogin.get(network) ?? this.#createNetwork();
    const entries = loggedIn === undefined ? this.#withoutLogin : this.#withLogin;
    entries.delete(network);
    entries.set(network, entry);
    this.#evict();
    return entry;
  }

  /** Finds the entry of a name at an address; the shared entry if the address has no capacity for its own. */
  findName({ names, others }: TriedNetwork, name: string, nowMs: number): TriedName | undefined {
    const isFull = () => countUnknownNames(names) >= MAXIMUM_UNKNOWN_NAMES;
    const existing = names.get(name);
    if (existing !== undefined || !isFull()) return existing;
    this.#removeUnused(names, nowMs);
    return isFull() ? others : undefined;
  }

  /** Returns the entry of a name at an address, creating it if capacity allows. */
  openName(network: TriedNetwork, name: string, nowMs: number): TriedName {
    const existing = this.findName(network, name, nowMs);
    if (existing !== undefined) return existing;
    const entry = createName();
    this.#addName(network.names, name, entry);
    return entry;
  }

  /** Records that a name has logged in from an address. */
  recordLogin(network: string, name: string, knownUntilMs: number): TriedName {
    const entry = this.open(network);
    const known = entry.names.get(name) ?? createName();
    if (!entry.names.has(name)) this.#addName(entry.names, name, known);
    known.knownUntilMs = knownUntilMs;
    this.#withoutLogin.delete(network);
    this.#withLogin.set(network, entry);
    this.#evict();
    return known;
  }

  /** Removes the entries of a name and its address if they are unused. */
  removeUnused(network: string, name: string, nowMs: number): void {
    const entry = this.find(network);
    if (entry === undefined) return;
    const ofName = entry.names.get(name);
    if (ofName !== undefined && !isNameInUse(ofName, nowMs)) this.#removeName(entry.names, name);
    if (entry.names.size > 0 || isInUse(entry.counter, nowMs) || isNameInUse(entry.others, nowMs)) return;
    this.#withoutLogin.delete(network);
    this.#withLogin.delete(network);
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

  #addName(names: Map<string, TriedName>, name: string, entry: TriedName): void {
    names.set(name, entry);
    this.#entries += 1;
  }

  #removeName(names: Map<string, TriedName>, name: string): void {
    names.delete(name);
    this.#entries -= 1;
  }

  #removeUnused(names: Map<string, TriedName>, nowMs: number): void {
    for (const [name, entry] of names) if (!isNameInUse(entry, nowMs)) this.#removeName(names, name);
  }

  #evict(): void {
    for (const entries of [this.#withoutLogin, this.#withLogin]) {
      for (const [network, { names }] of entries) {
        // The most recently used entry is in use now.
        if (this.#entries <= this.#maximumEntries || entries.size === 1) break;
        entries.delete(network);
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

function countUnknownNames(names: ReadonlyMap<string, TriedName>): number {
  let count = 0;
  for (const { knownUntilMs } of names.values()) if (knownUntilMs === 0) count += 1;
  return count;
}

function isNameInUse({ counter, hidden, knownUntilMs }: TriedName, nowMs: number): boolean {
  return nowMs < knownUntilMs || isInUse(counter, nowMs) || isInUse(hidden, nowMs);
}
