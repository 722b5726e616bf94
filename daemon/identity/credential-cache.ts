import type { Clock } from '../base/clock.ts';
import type { Identity } from './identity.ts';

/** Remembers digests of names and passwords that were verified a short time ago. */
interface CredentialCache {
  remember(digest: string, identity: Identity): void;
  /** Returns whether the pair was verified for the present credentials of the identity, and not too long ago. */
  has(digest: string, identity: Identity): boolean;
}

/** Time for which a pair is remembered, from its verification, not its last use. */
export const REMEMBER_VERIFIED_MS = 60_000;

/** Most pairs remembered; the oldest is forgotten first and merely has to be verified again. */
export const MAXIMUM_VERIFIED_PAIRS = 1000;

interface Verified {
  readonly identityId: string;
  readonly credentialsRevision: number;
  readonly untilMs: number;
}

/** Creates an empty cache. */
export function createCredentialCache(clock: Clock): CredentialCache {
  // In order of verification, which is the order of expiry.
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
