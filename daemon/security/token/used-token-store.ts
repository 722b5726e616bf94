import { Unavailable } from '../../base/errors.ts';

/** Properties of a used token. */
export interface UsedToken {
  readonly iss: string;
  readonly jti: string;
  /** Identity whose quota the mark counts toward, together with `iss`. */
  readonly sub: string;
  /** NumericDate; the mark is stored at least until then plus the retention. */
  readonly exp: number;
}

/** Replay cache of used refresh tokens, identified by issuer and token id. */
export interface UsedTokenStore {
  /**
   * Marks a token as used, atomically.
   *
   * Each issuer and each identity of an issuer has a memory quota, so that none can displace the others.
   *
   * @returns true exactly once; false while the mark is stored
   * @throws {Unavailable} `TOKEN_LEDGER_FULL` or `TOKEN_LEDGER_UNAVAILABLE`; the token is then not marked
   */
  claim(token: UsedToken): boolean;
  /**
   * Returns true if the token is marked.
   *
   * @throws {Unavailable} `TOKEN_LEDGER_UNAVAILABLE`
   */
  isClaimed(iss: string, jti: string): boolean;
}

export interface UsedTokenStoreOptions {
  /** Minimum retention of a mark after the expiry of its token. */
  readonly retentionSeconds: () => number;
  /** Number of expired marks retained while capacity allows; default: {@link RETAINED_EXPIRED}. */
  readonly retainedExpired?: number;
  /** Upper bound of {@link estimateBytes} over all marks; 64 MiB by default. */
  readonly maximumBytes?: number;
}

/**
 * Number of retained expired marks, most recently expired first. While a clock is set forward, all marks are expired; without
 * them, the tokens would be usable again after it is set back.
 */
export const RETAINED_EXPIRED = 1000;

/** Maximum memory of all marks. */
export const MAXIMUM_USED_TOKEN_BYTES = 64 * 1024 * 1024;

// Two string headers, an entry of a half-empty hash table (measured 110 to 150), and an object with two fields.
const OVERHEAD_BYTES = 200;

/** Estimates the memory of a mark, with two bytes for each character. */
export function estimateBytes(iss: string, jti: string): number {
  return OVERHEAD_BYTES + 2 * (iss.length + jti.length);
}

/** Creates the error for an exhausted quota; evicting a mark instead would make its token usable again. */
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
  /** True to add new marks to the persistent store; read at each claim. */
  readonly isPersistent: () => boolean;
}

/** Combines two stores, so that a token used before a change of the setting remains marked. */
export function createCombinedUsedTokenStore(options: CombinedStoreOptions): UsedTokenStore {
  const { memory, persistent, isPersistent } = options;
  return {
    claim(token) {
      const [chosen, other] = isPersistent() ? [persistent, memory] : [memory, persistent];
      // Atomic, because both stores are synchronous.
      return !other.isClaimed(token.iss, token.jti) && chosen.claim(token);
    },
    isClaimed: (iss, jti) => memory.isClaimed(iss, jti) || persistent.isClaimed(iss, jti),
  };
}
