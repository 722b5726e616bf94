import type { X509Certificate } from 'node:crypto';

import { readValidity } from '../../base/key/certificate-validity.ts';
import { findKeyWeakness } from '../../base/key/key-weakness.ts';
import { readFields } from './certificate-fields.ts';
import type { RevocationList } from './revocation-list.ts';

/** Time in which a certificate may be used; milliseconds since the epoch, both ends included. */
interface UsablePeriod {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** An authority whose client certificates are refused, and why. */
interface RefusedAuthority {
  readonly subject: string;
  readonly reason: 'NO_REVOCATION_LIST' | 'REVOCATION_LIST_STALE' | 'ISSUER_MISSING';
}

// The first bit of the extension (RFC 5280, 4.2.1.3).
const DIGITAL_SIGNATURE = 0x80;

// A gateway knows some dozen clients; further certificates are verified each time.
const MAXIMUM_REMEMBERED = 4096;

/**
 * Whom the listeners trust: the authorities of client certificates and their revocation lists, as they were read at one
 * time. Files that are read later make another object.
 *
 * OpenSSL verifies a certificate in the full handshake only: not when a session is resumed, and never again while the
 * connection is open. This class verifies it at every other time.
 */
export class ClientTrust {
  readonly #authorities: readonly X509Certificate[];
  readonly #lists: readonly RevocationList[] | undefined;
  readonly #remembered = new Map<string, UsablePeriod | 'UNKNOWN_ISSUER' | undefined>();

  /**
   * @param lists those in force, {@link chooseListsInForce}; undefined: revocation is not checked. Once it is, an authority
   *   without a list that is in date is not trusted.
   */
  constructor(authorities: readonly X509Certificate[], lists: readonly RevocationList[] | undefined) {
    this.#authorities = authorities;
    this.#lists = lists;
  }

  /**
   * Returns the period in which a client certificate may be used.
   *
   * @param certificate whose possession and certification path OpenSSL has verified, now or under earlier trust
   * @param wasVerified OpenSSL has done so under this very trust; only then the path may lead over authorities that the
   *   client sent itself
   * @returns undefined: never, because the path ends nowhere or is revoked, the key is weak or not one for signatures, or the
   *   certificate is encoded in another way than DER
   */
  findUsablePeriod(certificate: X509Certificate, wasVerified: boolean): UsablePeriod | undefined {
    const key = certificate.fingerprint256;
    let found = this.#remembered.get(key);
    if (found === undefined && !this.#remembered.has(key)) {
      found = this.#verifyReadable(certificate);
      if (this.#remembered.size < MAXIMUM_REMEMBERED) this.#remembered.set(key, found);
    }
    if (found !== 'UNKNOWN_ISSUER') return found;
    return wasVerified ? periodOf(certificate, this.#lists ?? []) : undefined;
  }

  /** Returns whether one of the authorities has issued a certificate. */
  hasIssuerOf(certificate: X509Certificate): boolean {
    return this.#findIssuer(certificate) !== undefined;
  }

  /** The authorities whose client certificates are refused now. */
  listRefusedAuthorities(nowMs: number): readonly RefusedAuthority[] {
    return this.#authorities.flatMap((authority): readonly RefusedAuthority[] => {
      const subject = authority.subject.replaceAll('\n', ', ');
      if (this.#findPath(authority) === undefined) return [{ subject, reason: 'ISSUER_MISSING' }];
      if (this.#lists === undefined) return [];
      const lists = this.#listsOf(authority);
      if (lists.length === 0) return [{ subject, reason: 'NO_REVOCATION_LIST' }];
      const isInDate = lists.some((list) => list.thisUpdateMs <= nowMs && nowMs <= list.nextUpdateMs);
      return isInDate ? [] : [{ subject, reason: 'REVOCATION_LIST_STALE' }];
    });
  }

  // OpenSSL takes encodings that DER does not have; our reader does not.
  #verifyReadable(certificate: X509Certificate): UsablePeriod | 'UNKNOWN_ISSUER' | undefined {
    try {
      return this.#verify(certificate);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #verify(certificate: X509Certificate): UsablePeriod | 'UNKNOWN_ISSUER' | undefined {
    const fields = readFields(certificate);
    // OpenSSL is content with keyAgreement, but what a client does in a handshake with ECDHE is to sign (RFC 8446, 4.4.2.2).
    if (fields.keyUsage !== undefined && (fields.keyUsage & DIGITAL_SIGNATURE) === 0) return undefined;
    // OpenSSL looks at the length of a key only.
    if (findKeyWeakness(certificate.publicKey) !== undefined) return undefined;
    const issuers = this.#findPath(certificate);
    if (issuers === undefined)
      return this.#findIssuer(certificate) === undefined ? 'UNKNOWN_ISSUER' : undefined;
    const path = [certificate, ...issuers];
    if (this.#lists === undefined) return periodOfAll(path, []);
    const used: RevocationList[] = [];
    for (const [index, subject] of path.entries()) {
      // The last one is self-signed: its own list may revoke it as well.
      const lists = this.#listsOf(path[index + 1] ?? subject);
      const { serialNumber } = readFields(subject);
      if (lists.length === 0 || lists.some((list) => list.serialNumbers.has(serialNumber))) return undefined;
      used.push(...lists);
    }
    return periodOfAll(path, used);
  }

  /** Returns the issuers up to one that is self-signed; undefined when they are not all among the authorities. */
  #findPath(certificate: X509Certificate): readonly X509Certificate[] | undefined {
    const path: X509Certificate[] = [];
    let subject = certificate;
    // No path is longer than the list, unless it goes in a circle.
    while (path.length <= this.#authorities.length) {
      if (isSelfSigned(subject)) return path;
      const issuer = this.#findIssuer(subject);
      if (issuer === undefined) return undefined;
      path.push(issuer);
      subject = issuer;
    }
    return undefined;
  }

  #findIssuer(subject: X509Certificate): X509Certificate | undefined {
    return this.#authorities.find((authority) => isIssuer(authority, subject));
  }

  #listsOf(authority: X509Certificate): readonly RevocationList[] {
    return (this.#lists ?? []).filter((list) => list.isSignedBy(authority.publicKey));
  }
}

/**
 * Leaves out lists that a newer one of the same authority replaces: OpenSSL takes the first that is in date, even when it
 * is not the newest.
 */
export function chooseListsInForce(
  authorities: readonly X509Certificate[],
  lists: readonly RevocationList[],
): readonly RevocationList[] {
  const signerOf = (list: RevocationList): number =>
    authorities.findIndex((authority) => list.isSignedBy(authority.publicKey));
  const signed = lists.map((list) => ({ list, signer: signerOf(list) }));
  return signed
    .filter(({ list, signer }) =>
      signed.every(
        (other) => other.signer !== signer || signer < 0 || other.list.thisUpdateMs <= list.thisUpdateMs,
      ),
    )
    .map(({ list }) => list);
}

function periodOf(certificate: X509Certificate, lists: readonly RevocationList[]): UsablePeriod {
  return periodOfAll([certificate], lists);
}

function periodOfAll(path: readonly X509Certificate[], lists: readonly RevocationList[]): UsablePeriod {
  const validities = path.map(readValidity);
  return {
    fromMs: Math.max(...validities.map(({ fromMs }) => fromMs)),
    untilMs: Math.min(
      ...validities.map(({ untilMs }) => untilMs),
      ...lists.map(({ nextUpdateMs }) => nextUpdateMs),
    ),
  };
}

function isIssuer(authority: X509Certificate, subject: X509Certificate): boolean {
  return subject.checkIssued(authority) && subject.verify(authority.publicKey);
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return isIssuer(certificate, certificate);
}
