import type { Claims } from './claims.ts';

/** Most characters of tokens remembered; the oldest is forgotten first and merely has to be verified again. */
const MAXIMUM_CHARACTERS = 2 ** 20;

interface Verified {
  readonly claims: Claims;
  readonly validUntilMs: number;
}

/**
 * Caches the claims of verified tokens, so that a known token costs no signature check. It keeps the tokens themselves, as the ids of
 * sessions are kept: to look up a digest costs as much as everything else that a known token does.
 */
export class VerifiedTokens {
  // In order of verification.
  readonly #known = new Map<string, Verified>();
  #characters = 0;

  /** @param validUntilMs milliseconds since the epoch; the token is unknown from then on */
  remember(text: string, claims: Claims, validUntilMs: number): void {
    this.#forget(text);
    this.#known.set(text, { claims, validUntilMs });
    this.#characters += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= MAXIMUM_CHARACTERS) return;
      this.#forget(oldest);
    }
  }

  /** Returns undefined also outside the period of validity of the token. */
  find(text: string, nowMs: number): Claims | undefined {
    const verified = this.#known.get(text);
    if (verified === undefined) return undefined;
    if (nowMs >= verified.validUntilMs) {
      this.#forget(text);
      return undefined;
    }
    // The clock may have been set back.
    return nowMs >= verified.claims.validFromMs ? verified.claims : undefined;
  }

  clear(): void {
    this.#known.clear();
    this.#characters = 0;
  }

  #forget(text: string): void {
    if (this.#known.delete(text)) this.#characters -= text.length;
  }
}
