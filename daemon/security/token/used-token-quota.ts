import { isWithinShare } from '../../base/sharing/fair-share.ts';

// Largest shares of all marks for one issuer, and for one identity of an issuer. An identity that refreshes 28 times a
// second uses up its own share; others are not affected.
const ISSUER_PART = 1 / 2;
const IDENTITY_PART = 1 / 8;

interface IssuerShare {
  bytes: number;
  /** Keyed by `sub`. */
  readonly identities: Map<string, number>;
}

/**
 * Counts the memory that the marks of each issuer and of each of its identities take, and limits their shares.
 *
 * Marks that a foreign issuer causes for an identity do not count toward the identity's own share.
 */
export class UsedTokenQuota {
  readonly #maximumBytes: number;
  readonly #issuers = new Map<string, IssuerShare>();
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** Returns whether there is room for another mark. */
  hasCapacity(iss: string, sub: string, bytes: number): boolean {
    const issuer = this.#issuers.get(iss);
    const ofIssuer = issuer?.bytes ?? 0;
    const largestOfIssuer = this.#maximumBytes * ISSUER_PART;
    const isIssuerWithin = isWithinShare(
      { own: ofIssuer, used: this.#bytes, maximum: this.#maximumBytes, largestShare: largestOfIssuer },
      bytes,
    );
    const isIdentityWithin = isWithinShare(
      {
        own: issuer?.identities.get(sub) ?? 0,
        used: ofIssuer,
        maximum: largestOfIssuer,
        largestShare: this.#maximumBytes * IDENTITY_PART,
      },
      bytes,
    );
    return isIssuerWithin && isIdentityWithin;
  }

  /** Counts marks that were added; a negative number of bytes removes marks. */
  add(iss: string, sub: string, bytes: number): void {
    const issuer = this.#issuers.get(iss) ?? { bytes: 0, identities: new Map<string, number>() };
    this.#bytes += bytes;
    issuer.bytes += bytes;
    const ofIdentity = (issuer.identities.get(sub) ?? 0) + bytes;
    if (ofIdentity > 0) issuer.identities.set(sub, ofIdentity);
    else issuer.identities.delete(sub);
    if (issuer.bytes > 0) this.#issuers.set(iss, issuer);
    else this.#issuers.delete(iss);
  }
}
