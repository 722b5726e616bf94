import type { Claims } from './claims.ts';

/** Maximum characters of cached tokens; the oldest is evicted first and is verified again at its next use. */
const MAXIMUM_CHARACTERS = 2 ** 20;

interface Verified {
  readonly claims: Claims;
  readonly validUntilMs: number;
}

/**
 * Caches the claims of verified tokens to save signature checks. The key is the token itself, as for session ids: computing a
 * digest would cost as much as everything else for a cached token.
 */
export class VerifiedTokens {
  // In order of verification.
  readonly #known = new Map<string, Verified>();
  #characters = 0;

  /** @param validUntilMs end of the cache entry, in milliseconds since the epoch */
  remember(text: string, claims: Claims, validUntilMs: number): void {
    this.#forget(text);
    this.#known.set(text, { claims, validUntilMs });
    this.#characters += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= MAXIMUM_CHARACTERS) return;
      this.#forget(oldest);
    }
  }

  /** Finds the claims of a token; undefined if it is not cached or outside its validity period. */
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
