import type { Clock } from '../../../base/clock.ts';
import { TooManyRequests } from '../../../base/errors.ts';
import { networkOf } from '../../../base/network/network-address.ts';
import {
  blockedSecondsOf,
  clearFailures,
  countFailure,
  isTaken,
  resumeWaiting,
  waitSecondsOf,
} from './attempt-counter.ts';
import type { AttemptCounter } from './attempt-counter.ts';
import { AttemptTable } from './attempt-table.ts';
import type { TriedNetwork } from './attempt-table.ts';
import { MAXIMUM_HASHES_WAITING } from '../password/password-hash-pool.ts';

/** The name that is tried, and the address from which. */
export interface AttemptOrigin {
  readonly name: string;
  readonly remoteAddress: string;
}

// No identity has a longer name, so all longer ones can share one counter.
const LONGEST_NAME = 256;

/**
 * One admitted attempt to log in. It counts as failed from the beginning; the caller reports the outcome with exactly one
 * call of one method.
 */
export interface Attempt {
  /**
   * Set while the address has to wait because of earlier failures: creates the answer to every attempt except a right
   * password that may succeed. The answer reveals nothing about the name.
   */
  readonly refuse?: (() => TooManyRequests) | undefined;
  /** Whether a right password is accepted. */
  readonly maySucceed: boolean;
  /** Forgets the failures of this name from this address. */
  succeed(): void;
  /** @returns seconds during which this name is refused from this address; 0 while failures are free */
  fail(): number;
  /** Withdraws the attempt, because the password was not checked. */
  abandon(): void;
}

/** Most attempts of one name from one address that may wait for those in progress: as many as may wait for a hash. */
export const MAXIMUM_WAITING = MAXIMUM_HASHES_WAITING;

// For this time after a login, failures of other names from the same address do not keep the name out.
const KNOWN_FOR_MS = 24 * 60 * 60_000;

interface AttemptLimiterOptions {
  readonly clock: Clock;
  readonly maximumEntries?: number | undefined;
}

/** The name and the network under which an attempt is counted. */
interface CountedOrigin {
  readonly network: string;
  readonly name: string;
}

/**
 * Limits the rate at which passwords can be guessed.
 *
 * Failures are counted for a name from an address, and for an address over all names; never for a name alone, so that
 * no client can lock an identity out for others. Names that do not exist count like those that do. A name that has logged
 * in from an address within the last day is not kept out by the failures of other names from there.
 */
export class AttemptLimiter {
  readonly #clock: Clock;
  readonly #table: AttemptTable;

  constructor({ clock, maximumEntries }: AttemptLimiterOptions) {
    this.#clock = clock;
    this.#table = new AttemptTable(maximumEntries);
  }

  /**
   * Admits an attempt. While it depends on attempts of the same name and address that are in progress, returns a promise,
   * for up to {@link MAXIMUM_WAITING} attempts; these resume in order of arrival when those in progress succeed.
   *
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` with the seconds left; the promise rejects with it when those in
   *   progress fail
   */
  begin({ name, remoteAddress }: AttemptOrigin): Attempt | Promise<Attempt> {
    return this.#begin({ network: networkOf(remoteAddress), name: boundName(name) });
  }

  #begin(origin: CountedOrigin): Attempt | Promise<Attempt> {
    const nowMs = this.#clock.monotonicMs();
    const tried = this.#table.find(origin.network);
    if (tried !== undefined && waitSecondsOf(tried.counter, nowMs) > 0)
      return this.#beginHidden(origin, tried);
    const present = tried === undefined ? undefined : this.#table.findName(tried, origin.name, nowMs);
    if (present !== undefined) {
      const blockedSeconds = blockedSecondsOf(present.counter, nowMs);
      if (blockedSeconds > 0) throw createRefusal(blockedSeconds);
      if (isTaken(present.counter, nowMs)) return this.#wait(origin, present.counter);
    }
    const network = this.#table.open(origin.network);
    const ofName = this.#table.openName(network, origin.name, nowMs);
    return { maySucceed: true, ...this.#reserve(origin, [network.counter, ofName.counter]) };
  }

  #wait(origin: CountedOrigin, { waiting }: AttemptCounter): Promise<Attempt> {
    if (waiting.length >= MAXIMUM_WAITING) throw createRefusal(1);
    // It counts as in progress at once, before the next one is resumed.
    const resume = async (): Promise<Attempt> => this.#begin(origin);
    return new Promise((resolve) => {
      waiting.push(() => resolve(resume()));
    });
  }

  /** Admits only names known at the address; nothing but a success reveals whether a name is known. */
  #beginHidden(origin: CountedOrigin, { counter, names }: TriedNetwork): Attempt {
    const refuse = (): TooManyRequests =>
      createRefusal(Math.max(1, waitSecondsOf(counter, this.#clock.monotonicMs())));
    const nowMs = this.#clock.monotonicMs();
    const known = names.get(origin.name);
    if (known === undefined || nowMs >= known.knownUntilMs || waitSecondsOf(known.hidden, nowMs) > 0) {
      return { refuse, maySucceed: false, succeed: () => undefined, fail: () => 0, abandon: () => undefined };
    }
    return { refuse, maySucceed: true, ...this.#reserve(origin, [known.hidden]) };
  }

  #reserve(origin: CountedOrigin, counters: readonly AttemptCounter[]) {
    for (const counter of counters) counter.pending += 1;
    const end = (decide?: (nowMs: number) => void): void => {
      const nowMs = this.#clock.monotonicMs();
      for (const counter of counters) counter.pending -= 1;
      decide?.(nowMs);
      this.#table.forgetUnused(origin.network, origin.name, nowMs);
      for (const counter of counters) resumeWaiting(counter, nowMs);
    };
    return {
      abandon: () => end(),
      succeed: () =>
        end((nowMs) => {
          const known = this.#table.recordLogin(origin.network, origin.name, nowMs + KNOWN_FOR_MS);
          clearFailures(known.counter);
          clearFailures(known.hidden);
        }),
      fail: () => {
        let delaySeconds = 0;
        end((nowMs) => {
          for (const counter of counters) delaySeconds = countFailure(counter, nowMs);
        });
        return delaySeconds;
      },
    };
  }
}

function createRefusal(retryAfterSeconds: number): TooManyRequests {
  return new TooManyRequests({
    code: 'TOO_MANY_FAILED_LOGINS',
    detail: 'too many failed logins',
    retryAfterSeconds,
  });
}

/** Returns the name under which attempts are counted. */
export function boundName(name: string): string {
  return name.slice(0, LONGEST_NAME);
}
