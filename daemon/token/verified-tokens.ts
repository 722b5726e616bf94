import type { Claims } from './claims.ts';

/** Caches the claims of verified tokens, so that a known token costs no signature check. */
interface VerifiedTokens {
  /** @param validUntilMs milliseconds since the epoch; the token is unknown from then on */
  remember(text: string, claims: Claims, validUntilMs: number): void;
  /** Returns undefined also outside the period of validity of the token. */
  find(text: string, nowMs: number): Claims | undefined;
  clear(): void;
}

/** Most characters of tokens remembered; the oldest is forgotten first and merely has to be verified again. */
const MAXIMUM_CHARACTERS = 2 ** 20;

interface Verified {
  readonly claims: Claims;
  readonly validUntilMs: number;
}

/**
 * Creates an empty cache. It keeps the tokens themselves, as the ids of sessions are kept: to look up a digest costs as much as
 * everything else that a known token does.
 */
export function createVerifiedTokens(): VerifiedTokens {
  // In order of verification.
  const known = new Map<string, Verified>();
  let characters = 0;
  const forget = (text: string): void => {
    if (known.delete(text)) characters -= text.length;
  };
  return {
    remember(text, claims, validUntilMs) {
      forget(text);
      known.set(text, { claims, validUntilMs });
      characters += text.length;
      for (const oldest of known.keys()) {
        if (characters <= MAXIMUM_CHARACTERS) return;
        forget(oldest);
      }
    },
    find(text, nowMs) {
      const verified = known.get(text);
      if (verified === undefined) return undefined;
      if (nowMs >= verified.validUntilMs) {
        forget(text);
        return undefined;
      }
      // The clock may have been set back.
      return nowMs >= verified.claims.validFromMs ? verified.claims : undefined;
    },
    clear() {
      known.clear();
      characters = 0;
    },
  };
}
