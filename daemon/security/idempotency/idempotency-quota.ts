import { isWithinShare } from '../../base/sharing/fair-share.ts';

/** Limits of the stored keys of all identities together. */
export interface IdempotencyLimits {
  readonly keys: number;
  readonly bytes: number;
}

interface Share {
  keys: number;
  bytes: number;
}

/** Tracks number and size of the keys of each identity and enforces the quotas; see `isWithinShare`. */
export class IdempotencyQuota {
  readonly #limits: IdempotencyLimits;
  readonly #identities = new Map<string, Share>();
  readonly #all: Share = { keys: 0, bytes: 0 };

  constructor(limits: IdempotencyLimits) {
    this.#limits = limits;
  }

  /** Returns true if an identity may store one more key of this size. */
  hasCapacity(identity: string, bytes: number): boolean {
    const own = this.#identities.get(identity) ?? { keys: 0, bytes: 0 };
    const { keys: maximumKeys, bytes: maximumBytes } = this.#limits;
    return (
      isWithinShare({ own: own.keys, used: this.#all.keys, maximum: maximumKeys }, 1) &&
      isWithinShare({ own: own.bytes, used: this.#all.bytes, maximum: maximumBytes }, bytes)
    );
  }

  /** Adds to the counts; negative numbers subtract. */
  add(identity: string, keys: number, bytes: number): void {
    const own = this.#identities.get(identity) ?? { keys: 0, bytes: 0 };
    own.keys += keys;
    own.bytes += bytes;
    this.#all.keys += keys;
    this.#all.bytes += bytes;
    if (own.keys > 0) this.#identities.set(identity, own);
    else this.#identities.delete(identity);
  }
}
