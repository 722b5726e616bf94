import type { Clock } from '../base/clock.ts';
import { TooManyRequests } from '../base/errors.ts';
import { networkOf } from '../base/network-address.ts';
import {
  type AttemptCounter,
  blockedSecondsOf,
  clearFailures,
  countFailure,
  isTaken,
  resumeWaiting,
  waitSecondsOf,
} from './attempt-counter.ts';
import { type AttemptOrigin, boundName } from './attempt-origin.ts';
import { AttemptTable, type TriedNetwork } from './attempt-table.ts';
import { MAXIMUM_HASHES_WAITING_PER_SOURCE } from './password-hash-pool.ts';

/**
 * One attempt to log in that was let through. It counts as failed from the beginning; exactly one of its verbs is called
 * once, when the outcome is known.
 */
export interface Attempt {
  /**
   * Set while the address has to wait for what was tried from there: makes the answer to everything but a right password
   * that may succeed. It tells nothing about the name.
   */
  readonly refuse?: (() => TooManyRequests) | undefined;
  /** Whether a right password is to be accepted. */
  readonly maySucceed: boolean;
  /** Forgets the failures of this name from this address. */
  succeed(): void;
  /** @returns seconds during which this name is now refused from this address; 0 while failures are free */
  fail(): number;
  /** Takes the attempt back: the password was not checked. */
  abandon(): void;
}

/** Attempts of one name from one address that wait for those under way: as many as may wait for a hash. */
export const MAXIMUM_WAITING = MAXIMUM_HASHES_WAITING_PER_SOURCE;

// A name that logged in from an address is not kept out for what others do from there.
const KNOWN_FOR_MS = 24 * 60 * 60_000;

interface AttemptLimiterOptions {
  readonly clock: Clock;
  readonly maximumEntries?: number | undefined;
}

/** A name and an address as they are counted. */
interface Place {
  readonly network: string;
  readonly name: string;
}

/**
 * Slows down those who guess passwords.
 *
 * Failures are counted for a name from an address, and for an address over all names; never for a name alone, so that
 * nobody can lock an identity out for others. Names that do not exist count like those that do. A name that has logged
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
   * Lets an attempt through; while its outcome hangs on others of this name from this address that are under way, a
   * promise of it, which up to {@link MAXIMUM_WAITING} attempts get. It goes on when those proved to be right, in the
   * order of arrival.
   *
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` with the seconds left; the promise rejects with it when those under
   *   way proved to be wrong
   */
  begin({ name, remoteAddress }: AttemptOrigin): Attempt | Promise<Attempt> {
    return this.#begin({ network: networkOf(remoteAddress), name: boundName(name) });
  }

  #begin(place: Place): Attempt | Promise<Attempt> {
    const nowMs = this.#clock.monotonicMs();
    const tried = this.#table.find(place.network);
    if (tried !== undefined && waitSecondsOf(tried.counter, nowMs) > 0)
      return this.#beginHidden(place, tried);
    const present = tried === undefined ? undefined : this.#table.findName(tried, place.name, nowMs);
    if (present !== undefined) {
      const blockedSeconds = blockedSecondsOf(present.counter, nowMs);
      if (blockedSeconds > 0) throw createRefusal(blockedSeconds);
      if (isTaken(present.counter, nowMs)) return this.#wait(place, present.counter);
    }
    const network = this.#table.open(place.network);
    const ofName = this.#table.openName(network, place.name, nowMs);
    return { maySucceed: true, ...this.#reserve(place, [network.counter, ofName.counter]) };
  }

  #wait(place: Place, { waiting }: AttemptCounter): Promise<Attempt> {
    if (waiting.length >= MAXIMUM_WAITING) throw createRefusal(1);
    // It counts as under way at once, before the next one is resumed.
    const resume = async (): Promise<Attempt> => this.#begin(place);
    return new Promise((resolve) => {
      waiting.push(() => resolve(resume()));
    });
  }

  /** Only a name that is known there can pass; whether this one is known shows in nothing but its success. */
  #beginHidden(place: Place, { counter, names }: TriedNetwork): Attempt {
    const refuse = (): TooManyRequests =>
      createRefusal(Math.max(1, waitSecondsOf(counter, this.#clock.monotonicMs())));
    const nowMs = this.#clock.monotonicMs();
    const known = names.get(place.name);
    if (known === undefined || nowMs >= known.knownUntilMs || waitSecondsOf(known.hidden, nowMs) > 0) {
      return { refuse, maySucceed: false, succeed: () => undefined, fail: () => 0, abandon: () => undefined };
    }
    return { refuse, maySucceed: true, ...this.#reserve(place, [known.hidden]) };
  }

  #reserve(place: Place, counters: readonly AttemptCounter[]) {
    for (const counter of counters) counter.pending += 1;
    const end = (decide?: (nowMs: number) => void): void => {
      const nowMs = this.#clock.monotonicMs();
      for (const counter of counters) counter.pending -= 1;
      decide?.(nowMs);
      this.#table.forgetUnused(place.network, place.name, nowMs);
      for (const counter of counters) resumeWaiting(counter, nowMs);
    };
    return {
      abandon: () => end(),
      succeed: () =>
        end((nowMs) => {
          const known = this.#table.welcome(place.network, place.name, nowMs + KNOWN_FOR_MS);
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
