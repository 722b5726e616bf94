import type { Clock } from '../../base/clock.ts';

/** Wrong codes in a row of one identity, wherever they come from, that cost no delay. */
export const FREE_WRONG_CODES = 10;

/** The delay doubles with each further one up to this; a day then has a hundred attempts at a million codes. */
export const LONGEST_CODE_DELAY_SECONDS = 15 * 60;

// Without a wrong code for so long, those before are forgotten.
const FORGET_AFTER_MS = 24 * 60 * 60_000;

interface WrongCodes {
  readonly count: number;
  readonly lastAtMs: number;
  readonly blockedUntilMs: number;
}

/**
 * Delays the codes of an identity after wrong ones. Unlike failed passwords, they count for all addresses together: a code has
 * six digits, and whoever gets as far as guessing it has the password.
 */
export class CodeDelay {
  readonly #clock: Clock;
  readonly #wrong = new Map<string, WrongCodes>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns for how many whole seconds a code is not compared; 0: it is. */
  secondsLeft(identityId: string): number {
    const blockedUntilMs = this.#wrong.get(identityId)?.blockedUntilMs ?? 0;
    return Math.max(0, Math.ceil((blockedUntilMs - this.#clock.monotonicMs()) / 1000));
  }

  /** @returns seconds during which codes of the identity are not compared */
  countWrong(identityId: string): number {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, { lastAtMs }] of this.#wrong) {
      if (nowMs - lastAtMs >= FORGET_AFTER_MS) this.#wrong.delete(id);
    }
    const count = (this.#wrong.get(identityId)?.count ?? 0) + 1;
    const beyond = count - FREE_WRONG_CODES;
    const delaySeconds = beyond < 0 ? 0 : Math.min(LONGEST_CODE_DELAY_SECONDS, 2 ** beyond);
    this.#wrong.set(identityId, { count, lastAtMs: nowMs, blockedUntilMs: nowMs + delaySeconds * 1000 });
    return delaySeconds;
  }

  /** Forgets wrong codes. */
  clear(identityId: string): void {
    this.#wrong.delete(identityId);
  }
}
