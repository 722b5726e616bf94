import type { Period } from './identity-model.ts';

interface Origin {
  readonly name: string;
  readonly address: string;
}

interface Failures {
  count: number;
  lastMs: number;
}

// docs/reference/rest-api.md, limits.
const FREE_OF_NAME = 5;
const FREE_OF_ADDRESS = 50;
const FORGOTTEN_AFTER_MS = 900_000;
const LONGEST_WAIT_MS = 60_000;
// A right pair of BASIC credentials is not checked again for a minute, wherever it comes from, and clears no failures then.
const REMEMBERED_MS = 60_000;
// How late the gateway may have taken the time of its check.
const UNCERTAIN_MS = 1000;

/** Counts wrong passwords by name and address, to tell when 429 is due. */
export class AttemptModel {
  readonly #run: () => number;
  readonly #failures = new Map<string, Failures>();
  readonly #provedMs = new Map<string, number>();
  #countedRun = -1;

  /** @param run the number of the run of the gateway, which remembers failures in memory only */
  constructor(run: () => number) {
    this.#run = run;
  }

  /** Notes a wrong password, or one of which nobody knows how it was answered. */
  noteFailure(name: string, address: string, atMs: number): void {
    this.#forgetOtherRuns();
    for (const key of [`${name}@${address}`, `@${address}`]) {
      const count = this.#countAt(key, atMs) + 1;
      this.#failures.set(key, { count, lastMs: atMs });
    }
  }

  noteSuccess(name: string, address: string): void {
    this.#failures.delete(`${name}@${address}`);
  }

  /** Notes that BASIC credentials were accepted: their failures are forgotten, unless they were not even checked. */
  noteAcceptedPair(pair: string, { name, address, askedMs, answeredMs }: Period & Origin): void {
    const sinceMs = askedMs - (this.#provedMs.get(pair) ?? -Infinity);
    if (sinceMs <= REMEMBERED_MS - UNCERTAIN_MS) return;
    // Where nobody can tell whether they were checked, they may be remembered from now on, and no failure forgotten.
    this.noteProvedPair(pair, answeredMs);
    if (sinceMs > REMEMBERED_MS + UNCERTAIN_MS) this.noteSuccess(name, address);
  }

  /** Notes that BASIC credentials may have been found right, and are not checked again for a while. */
  noteProvedPair(pair: string, atMs: number): void {
    this.#provedMs.set(pair, atMs);
  }

  /** Returns whether a password of this name from this address may be answered with 429 when it is sent now. */
  mayBeRefused(name: string, address: string, atMs: number): boolean {
    this.#forgetOtherRuns();
    const isWaiting = (key: string, free: number): boolean => {
      const beyond = this.#countAt(key, atMs) - free;
      const { lastMs = 0 } = this.#failures.get(key) ?? {};
      return beyond >= 0 && atMs < lastMs + Math.min(LONGEST_WAIT_MS, 1000 * 2 ** beyond);
    };
    return isWaiting(`${name}@${address}`, FREE_OF_NAME) || isWaiting(`@${address}`, FREE_OF_ADDRESS);
  }

  #countAt(key: string, atMs: number): number {
    const { count = 0, lastMs = 0 } = this.#failures.get(key) ?? {};
    return atMs - lastMs >= FORGOTTEN_AFTER_MS ? 0 : count;
  }

  #forgetOtherRuns(): void {
    if (this.#countedRun === this.#run()) return;
    this.#countedRun = this.#run();
    this.#failures.clear();
  }
}
