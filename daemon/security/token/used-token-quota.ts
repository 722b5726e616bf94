import { isWithinShare } from '../../base/sharing/fair-share.ts';

// Maximum shares of one issuer, and of one identity of an issuer. An identity that refreshes 28 times a second exhausts its
// own share without affecting others.
const ISSUER_PART = 1 / 2;
const IDENTITY_PART = 1 / 8;

interface IssuerShare {
  bytes: number;
  /** Keyed by `sub`. */
  readonly identities: Map<string, number>;
}

/**
 * Tracks the memory of the marks of each issuer and identity and enforces their quotas.
 *
 * Marks of a foreign issuer for an identity do not count toward the identity's own quota.
 */
export class UsedTokenQuota {
  readonly #maximumBytes: number;
  readonly #issuers = new Map<string, IssuerShare>();
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** Returns true if the quotas allow another mark. */
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

  /** Adds to the counts; a negative number of bytes subtracts. */
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
