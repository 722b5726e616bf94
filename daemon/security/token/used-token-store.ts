import { Unavailable } from '../../base/errors.ts';

/** The properties of a token that a ledger needs. */
export interface UsedToken {
  readonly iss: string;
  readonly jti: string;
  /** The identity to whose share the mark counts, together with `iss`. */
  readonly sub: string;
  /** The mark stays at least until then plus the retention; a NumericDate. */
  readonly exp: number;
}

/** Remembers which refresh tokens were used; a token is the pair of its issuer and its identifier. */
export interface UsedTokenStore {
  /**
   * Marks a token as used, atomically.
   *
   * Each issuer, and each identity of an issuer, has a share of the memory, so that none can take it from the others.
   *
   * @returns true exactly once; false while the mark stays
   * @throws {Unavailable} `TOKEN_LEDGER_FULL` or `TOKEN_LEDGER_UNAVAILABLE`; the token is not marked then
   */
  claim(token: UsedToken): boolean;
  /**
   * Returns whether the token is marked now.
   *
   * @throws {Unavailable} `TOKEN_LEDGER_UNAVAILABLE`
   */
  isClaimed(iss: string, jti: string): boolean;
}

export interface UsedTokenStoreOptions {
  /** Time for which a mark certainly stays after the expiry of its token. */
  readonly retentionSeconds: () => number;
  /** How many marks stay beyond that while there is room for them; {@link RETAINED_EXPIRED} unless given. */
  readonly retainedExpired?: number;
  /** Upper bound of {@link estimateBytes} over all marks; 64 MiB by default. */
  readonly maximumBytes?: number;
}

/**
 * How many marks stay beyond their time, those of the latest expiry: by a clock that was set forward for a while all marks are
 * over, and when it is set back their tokens would work again.
 */
export const RETAINED_EXPIRED = 1000;

/** Most memory for all marks. */
export const MAXIMUM_USED_TOKEN_BYTES = 64 * 1024 * 1024;

// Two string headers, an entry of a hash table that is half empty, measured 110 to 150, and an object of two fields.
const OVERHEAD_BYTES = 200;

/** Estimates the memory of a mark, with two bytes for each character. */
export function estimateBytes(iss: string, jti: string): number {
  return OVERHEAD_BYTES + 2 * (iss.length + jti.length);
}

/** Creates the refusal when there is no room for this issuer and identity; forgetting a mark would let its token be used again. */
export function refuseFull(): Unavailable {
  return new Unavailable({
    code: 'TOKEN_LEDGER_FULL',
    detail: 'too many refresh tokens were used recently',
    retryAfterSeconds: 60,
  });
}

interface CombinedStoreOptions {
  readonly memory: UsedTokenStore;
  readonly persistent: UsedTokenStore;
  /** Whether new marks go to the persistent ledger; read at each claim. */
  readonly isPersistent: () => boolean;
}

/** Combines two ledgers into one, so that a token used before the setting changed stays used after it. */
export function createCombinedUsedTokenStore(options: CombinedStoreOptions): UsedTokenStore {
  const { memory, persistent, isPersistent } = options;
  return {
    claim(token) {
      const [chosen, other] = isPersistent() ? [persistent, memory] : [memory, persistent];
      // Atomic: both ledgers answer synchronously.
      return !other.isClaimed(token.iss, token.jti) && chosen.claim(token);
    },
    isClaimed: (iss, jti) => memory.isClaimed(iss, jti) || persistent.isClaimed(iss, jti),
  };
}
