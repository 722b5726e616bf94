import { isWithinShare } from '../../base/sharing/fair-share.ts';

/** The most that the kept keys may take, of all identities together. */
export interface KeyLimits {
  readonly keys: number;
  readonly bytes: number;
}

interface Share {
  keys: number;
  bytes: number;
}

/** Counts the keys of each identity and the bytes that they take, and limits their shares; see `isWithinShare`. */
export class KeyShares {
  readonly #limits: KeyLimits;
  readonly #identities = new Map<string, Share>();
  readonly #all: Share = { keys: 0, bytes: 0 };

  constructor(limits: KeyLimits) {
    this.#limits = limits;
  }

  /** Returns whether an identity may have one more key, which takes this many bytes. */
  hasRoom(identity: string, bytes: number): boolean {
    const own = this.#identities.get(identity) ?? { keys: 0, bytes: 0 };
    const { keys: maximumKeys, bytes: maximumBytes } = this.#limits;
    return (
      isWithinShare({ own: own.keys, used: this.#all.keys, maximum: maximumKeys }, 1) &&
      isWithinShare({ own: own.bytes, used: this.#all.bytes, maximum: maximumBytes }, bytes)
    );
  }

  /** Counts keys that were added; negative numbers remove some. */
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
