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

/** Name and client address of an attempt. */
export interface AttemptOrigin {
  readonly name: string;
  readonly remoteAddress: string;
}

// No identity has a longer name, so longer names can share one counter.
const MAXIMUM_NAME_LENGTH = 256;

/**
 * An admitted login attempt. It counts as failed until the caller reports the outcome with exactly one call of one method.
 */
export interface Attempt {
  /**
   * Present while the address is delayed after earlier failures: creates the response to every attempt except a correct
   * password that may succeed. The response reveals nothing about the name.
   */
  readonly refuse?: (() => TooManyRequests) | undefined;
  /** True if a correct password is accepted. */
  readonly maySucceed: boolean;
  /** Resets the failures of this name from this address. */
  succeed(): void;
  /** @returns seconds for which this name is rejected from this address; 0 while failures are free */
  fail(): number;
  /** Cancels the attempt because the password was not checked. */
  abandon(): void;
}

/** Maximum queued attempts of one name from one address: as many as can be queued for a hash. */
export const MAXIMUM_WAITING = MAXIMUM_HASHES_WAITING;

// For this time after a login, failures of other names from the same address do not block the name.
const KNOWN_FOR_MS = 24 * 60 * 60_000;

interface AttemptLimiterOptions {
  readonly clock: Clock;
  readonly maximumEntries?: number | undefined;
}

/** Counting key of an attempt. */
interface CountedOrigin {
  readonly network: string;
  readonly name: string;
}

/**
 * Limits the rate of password guesses.
 *
 * Failures are counted for each name and address, and for each address over all names; never for a name alone, so that no client
 * can lock out an identity for others. Unknown names count like existing ones. A name that has logged in from an address within
 * the last day is not blocked by failures of other names from there.
 */
export class AttemptLimiter {
  readonly #clock: Clock;
  readonly #table: AttemptTable;

  constructor({ clock, maximumEntries }: AttemptLimiterOptions) {
    this.#clock = clock;
    this.#table = new AttemptTable(maximumEntries);
  }

  /**
   * Admits an attempt. Returns a promise while it depends on pending attempts of the same name and address, for up to
   * {@link MAXIMUM_WAITING} attempts; these resume in order of arrival when pending ones succeed.
   *
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` with the seconds left; the promise rejects with it if pending
   *   attempts fail
   */
  begin({ name, remoteAddress }: AttemptOrigin): Attempt | Promise<Attempt> {
    return this.#begin({ network: networkOf(remoteAddress), name: boundName(name) });
  }

  #begin(origin: CountedOrigin): Attempt | Promise<Attempt> {
    const nowMs = this.#clock.monotonicMs();
    const tried = this.#table.find(origin.network);
    if (tried !== undefined && waitSecondsOf(tried.counter, nowMs) > 0)
      return this.#beginHidden(origin, tried);
    const triedName = tried === undefined ? undefined : this.#table.findName(tried, origin.name, nowMs);
    if (triedName !== undefined) {
      const blockedSeconds = blockedSecondsOf(triedName.counter, nowMs);
      if (blockedSeconds > 0) throw createRefusal(blockedSeconds);
      if (isTaken(triedName.counter, nowMs)) return this.#wait(origin, triedName.counter);
    }
    const network = this.#table.open(origin.network);
    const ofName = this.#table.openName(network, origin.name, nowMs);
    return { maySucceed: true, ...this.#reserve(origin, [network.counter, ofName.counter]) };
  }

  #wait(origin: CountedOrigin, { waiting }: AttemptCounter): Promise<Attempt> {
    if (waiting.length >= MAXIMUM_WAITING) throw createRefusal(1);
    // It counts as pending immediately, before the next one is resumed.
    const resume = async (): Promise<Attempt> => this.#begin(origin);
    return new Promise((resolve) => {
      waiting.push(() => resolve(resume()));
    });
  }

  /** Admits only names that have logged in from the address; only a success reveals that a name is one of them. */
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
      this.#table.removeUnused(origin.network, origin.name, nowMs);
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

/** Returns the counting key of a name. */
export function boundName(name: string): string {
  return name.slice(0, MAXIMUM_NAME_LENGTH);
}
