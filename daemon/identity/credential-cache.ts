import type { Clock } from '../base/clock.ts';
import type { Identity } from './identity.ts';

/** Remembers which digests of name and password were right a short time ago. */
interface CredentialCache {
  remember(digest: string, identity: Identity): void;
  /** Whether the pair was right for these very credentials of the identity, and not too long ago. */
  has(digest: string, identity: Identity): boolean;
}

/** Counted from the check, not from the last use. */
export const REMEMBER_VERIFIED_MS = 60_000;

/** Beyond this the pair that was checked first is forgotten: it merely has to be checked again. */
export const MAXIMUM_VERIFIED_PAIRS = 1000;

interface Verified {
  readonly identityId: string;
  readonly credentialsRevision: number;
  readonly untilMs: number;
}

/** Makes an empty memory. */
export function createCredentialCache(clock: Clock): CredentialCache {
  // In the order of the checks, and so in the order of expiry.
  const pairs = new Map<string, Verified>();

  function forgetExpired(): void {
    const nowMs = clock.monotonicMs();
    for (const [digest, { untilMs }] of pairs) {
      if (untilMs > nowMs && pairs.size < MAXIMUM_VERIFIED_PAIRS) return;
      pairs.delete(digest);
    }
  }

  return {
    remember(digest, { id, credentialsRevision }) {
      pairs.delete(digest);
      forgetExpired();
      const untilMs = clock.monotonicMs() + REMEMBER_VERIFIED_MS;
      pairs.set(digest, { identityId: id, credentialsRevision, untilMs });
    },
    has(digest, { id, credentialsRevision }) {
      const pair = pairs.get(digest);
      return (
        pair !== undefined &&
        pair.identityId === id &&
        pair.credentialsRevision === credentialsRevision &&
        clock.monotonicMs() < pair.untilMs
      );
    },
  };
}
