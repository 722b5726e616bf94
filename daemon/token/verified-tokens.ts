import { hash } from 'node:crypto';

import type { Claims } from './claims.ts';

/** Caches the claims of verified tokens, so that a known token costs no signature check. */
interface VerifiedTokens {
  /** @param validUntilMs milliseconds since the epoch; the token is unknown from then on */
  remember(text: string, claims: Claims, validUntilMs: number): void;
  /** Returns undefined also outside the period of validity of the token. */
  find(text: string, nowMs: number): Claims | undefined;
  clear(): void;
}

/** Most tokens remembered; the oldest is forgotten first and merely has to be verified again. */
const MAXIMUM_VERIFIED_TOKENS = 4096;

interface Verified {
  readonly claims: Claims;
  readonly validUntilMs: number;
}

/** Creates an empty cache; it keeps digests, so that no token can be stolen from it. */
export function createVerifiedTokens(): VerifiedTokens {
  // In order of verification.
  const known = new Map<string, Verified>();
  const digest = (text: string): string => hash('sha256', text, 'base64url');
  return {
    remember(text, claims, validUntilMs) {
      const [oldest] = known.keys();
      if (known.size >= MAXIMUM_VERIFIED_TOKENS && oldest !== undefined) known.delete(oldest);
      known.set(digest(text), { claims, validUntilMs });
    },
    find(text, nowMs) {
      if (known.size === 0) return undefined;
      const key = digest(text);
      const verified = known.get(key);
      if (verified === undefined) return undefined;
      if (nowMs >= verified.validUntilMs) {
        known.delete(key);
        return undefined;
      }
      // The clock may have been set back.
      return nowMs >= verified.claims.validFromMs ? verified.claims : undefined;
    },
    clear: () => known.clear(),
  };
}
