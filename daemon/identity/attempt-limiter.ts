import type { Clock } from '../base/clock.ts';
import { TooManyRequests } from '../base/errors.ts';
import { networkOf } from './network-address.ts';

/** Who is being tried, and where the attempt comes from. */
export interface AttemptOrigin {
  readonly name: string;
  readonly remoteAddress: string;
}

/** One attempt to log in that was let through; exactly one of its verbs is called once, when the outcome is known. */
export interface Attempt {
  /** Forgets the failures of this name from this address. */
  succeed(): void;
  /** @returns seconds during which this name is now refused from this address; 0 while failures are free */
  fail(): number;
  /** Takes the attempt back: it was not judged. */
  abandon(): void;
}

/**
 * Slows down whoever guesses passwords.
 *
 * Failures are counted for a name from an address, and for an address over all names; never for a name alone, so that
 * nobody can lock an identity out for others. Names that do not exist count like those that do. A name that has logged
 * in from an address within the last day is not refused for the failures of other names from there.
 */
export interface AttemptLimiter {
  /**
   * Lets an attempt through.
   *
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` with the seconds left
   */
  begin(origin: AttemptOrigin): Attempt;
}

/** So many wrong passwords are typing errors. */
export const FREE_FAILURES = 5;

/** An address may stand for a whole plant behind address translation, so that more failures are its share. */
export const FREE_FAILURES_OF_ADDRESS = 50;

/** The delay doubles with each failure up to this. */
export const LONGEST_DELAY_SECONDS = 60;

/** Failures are forgotten after so long without another one. */
export const FORGET_AFTER_MS = 15 * 60_000;

// Somebody who logged in from an address is not refused for what others do from there.
const KNOWN_FOR_MS = 24 * 60 * 60_000;

// About 2 MiB. To push one entry out takes so many newer ones from over two hundred networks, since each may add
// but fifty before it is slowed down itself.
const MAXIMUM_ENTRIES = 10_000;

interface Entry {
  readonly freeFailures: number;
  failures: number;
  pending: number;
  blockedUntilMs: number;
  failuresUntilMs: number;
  knownUntilMs: number;
}

export interface AttemptLimiterOptions {
  readonly clock: Clock;
  readonly maximumEntries?: number | undefined;
}

/** Makes a limiter that has counted nothing yet. */
export function createAttemptLimiter(options: AttemptLimiterOptions): AttemptLimiter {
  return new MemoryAttemptLimiter(options);
}

class MemoryAttemptLimiter implements AttemptLimiter {
  readonly #clock: Clock;
  readonly #maximumEntries: number;
  // In the order of the last use, for eviction.
  readonly #entries = new Map<string, Entry>();

  constructor({ clock, maximumEntries = MAXIMUM_ENTRIES }: AttemptLimiterOptions) {
    this.#clock = clock;
    this.#maximumEntries = maximumEntries;
  }

  begin({ name, remoteAddress }: AttemptOrigin): Attempt {
    const network = networkOf(remoteAddress);
    // The network holds no space, so the key is unambiguous. All longer names are invalid and may share one.
    const ofName = `${network} ${name.slice(0, 256)}`;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#find(ofName);
    refuseWhenBlocked(known, nowMs);
    if (known === undefined || nowMs >= known.knownUntilMs) refuseWhenBlocked(this.#find(network), nowMs);
    return this.#open(ofName, network);
  }

  #open(nameKey: string, addressKey: string): Attempt {
    const ofAddress = this.#take(addressKey, FREE_FAILURES_OF_ADDRESS);
    const ofName = this.#take(nameKey, FREE_FAILURES);
    ofAddress.pending += 1;
    ofName.pending += 1;
    const end = (judge?: (nowMs: number) => void): void => {
      const nowMs = this.#clock.monotonicMs();
      ofAddress.pending -= 1;
      ofName.pending -= 1;
      judge?.(nowMs);
      this.#dropUnused(addressKey, nowMs);
      this.#dropUnused(nameKey, nowMs);
    };
    return {
      abandon: () => end(),
      succeed: () =>
        end((nowMs) => {
          ofName.failures = 0;
          ofName.blockedUntilMs = 0;
          ofName.knownUntilMs = nowMs + KNOWN_FOR_MS;
        }),
      fail: () => {
        let delaySeconds = 0;
        end((nowMs) => {
          countFailure(ofAddress, nowMs);
          delaySeconds = countFailure(ofName, nowMs);
        });
        return delaySeconds;
      },
    };
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.#clock.monotonicMs() >= entry.failuresUntilMs) entry.failures = 0;
    return entry;
  }

  /** Gives the entry of a key, as the one used last. */
  #take(key: string, freeFailures: number): Entry {
    const entry = this.#find(key) ?? createEntry(freeFailures);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#evict();
    return entry;
  }

  /** Keeps a flood of attempts that are never judged from pushing out what has been counted. */
  #dropUnused(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const isUsed = entry.pending > 0 || entry.failures > 0 || nowMs < entry.knownUntilMs;
    if (!isUsed) this.#entries.delete(key);
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maximumEntries) return;
      this.#entries.delete(key);
    }
  }
}

function createEntry(freeFailures: number): Entry {
  return { freeFailures, failures: 0, pending: 0, blockedUntilMs: 0, failuresUntilMs: 0, knownUntilMs: 0 };
}

function refuseWhenBlocked(entry: Entry | undefined, nowMs: number): void {
  if (entry === undefined) return;
  const { failures, freeFailures, pending, blockedUntilMs } = entry;
  const remainingSeconds = Math.ceil((blockedUntilMs - nowMs) / 1000);
  // Once failures are no longer free, one attempt at a time: a volley must not get through the end of a delay.
  const isVolley = failures >= freeFailures && pending > 0;
  if (remainingSeconds <= 0 && !isVolley) return;
  throw new TooManyRequests({
    code: 'TOO_MANY_FAILED_LOGINS',
    detail: 'too many failed logins',
    retryAfterSeconds: Math.max(1, remainingSeconds),
  });
}

function countFailure(entry: Entry, nowMs: number): number {
  entry.failures += 1;
  entry.failuresUntilMs = nowMs + FORGET_AFTER_MS;
  const beyond = entry.failures - entry.freeFailures;
  if (beyond < 0) return 0;
  const delaySeconds = Math.min(LONGEST_DELAY_SECONDS, 2 ** beyond);
  entry.blockedUntilMs = nowMs + delaySeconds * 1000;
  return delaySeconds;
}
