import type { X509Certificate } from 'node:crypto';

import { readValidity } from '../../base/key/certificate-validity.ts';
import { findKeyWeakness } from '../../base/key/key-weakness.ts';
import { readFields } from './certificate-fields.ts';
import type { RevocationList } from './revocation-list.ts';

/** Period in which a certificate may be used, in milliseconds since the epoch, inclusive. */
interface UsablePeriod {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** An authority whose client certificates are refused, with the reason. */
interface RefusedAuthority {
  readonly subject: string;
  readonly reason: 'NO_REVOCATION_LIST' | 'REVOCATION_LIST_STALE' | 'ISSUER_MISSING';
}

// The first bit of the extension (RFC 5280, 4.2.1.3).
const DIGITAL_SIGNATURE = 0x80;

// A gateway has some dozen clients; further certificates are verified each time.
const MAXIMUM_CACHED = 4096;

/**
 * Trust configuration of the listeners: client certificate authorities and their revocation lists. Immutable; a reload creates a
 * new object.
 *
 * OpenSSL only verifies a certificate in the full handshake, not on session resumption and not during a connection. This class
 * covers these cases.
 */
export class ClientTrust {
  readonly #authorities: readonly X509Certificate[];
  readonly #lists: readonly RevocationList[] | undefined;
  readonly #cache = new Map<string, UsablePeriod | 'UNKNOWN_ISSUER' | undefined>();

  /**
   * @param lists active lists, {@link selectActiveLists}; undefined: revocation is not checked. If it is checked, an authority
   *   without a current list is not trusted.
   */
  constructor(authorities: readonly X509Certificate[], lists: readonly RevocationList[] | undefined) {
    this.#authorities = authorities;
    this.#lists = lists;
  }

  /**
   * Returns the period in which a client certificate may be used.
   *
   * @param certificate client certificate whose possession and path OpenSSL has verified, now or under an earlier trust
   * @param wasVerified true if OpenSSL has verified it under this trust; only then the path may contain authorities sent by the
   *   client
   * @returns undefined: never, because the path is incomplete or revoked, the key is weak or not for signatures, or the encoding is
   *   not DER
   */
  findUsablePeriod(certificate: X509Certificate, wasVerified: boolean): UsablePeriod | undefined {
    const key = certificate.fingerprint256;
    let found = this.#cache.get(key);
    if (found === undefined && !this.#cache.has(key)) {
      found = this.#verifyReadable(certificate);
      if (this.#cache.size < MAXIMUM_CACHED) this.#cache.set(key, found);
    }
    if (found !== 'UNKNOWN_ISSUER') return found;
    return wasVerified ? periodOf(certificate, this.#lists ?? []) : undefined;
  }

  /** Returns true if one of the authorities has issued a certificate. */
  hasIssuerOf(certificate: X509Certificate): boolean {
    return this.#findIssuer(certificate) !== undefined;
  }

  /** Lists the authorities whose client certificates are currently refused. */
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

  // OpenSSL accepts encodings that are not DER; this parser does not.
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
    // OpenSSL accepts keyAgreement, but a client signs in a handshake with ECDHE (RFC 8446, 4.4.2.2).
    if (fields.keyUsage !== undefined && (fields.keyUsage & DIGITAL_SIGNATURE) === 0) return undefined;
    // OpenSSL only checks the key length.
    if (findKeyWeakness(certificate.publicKey) !== undefined) return undefined;
    const issuers = this.#findPath(certificate);
    if (issuers === undefined)
      return this.#findIssuer(certificate) === undefined ? 'UNKNOWN_ISSUER' : undefined;
    const path = [certificate, ...issuers];
    if (this.#lists === undefined) return periodOfAll(path, []);
    const used: RevocationList[] = [];
    for (const [index, subject] of path.entries()) {
      // The last one is self-signed: its own list may also revoke it.
      const lists = this.#listsOf(path[index + 1] ?? subject);
      const { serialNumber } = readFields(subject);
      if (lists.length === 0 || lists.some((list) => list.serialNumbers.has(serialNumber))) return undefined;
      used.push(...lists);
    }
    return periodOfAll(path, used);
  }

  /** Returns the issuers up to a self-signed one; undefined unless all of them are trusted authorities. */
  #findPath(certificate: X509Certificate): readonly X509Certificate[] | undefined {
    const path: X509Certificate[] = [];
    let subject = certificate;
    // A path longer than the list contains a cycle.
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
 * Selects the newest list of each authority: OpenSSL would use the first current one, even if it is not the newest.
 */
export function selectActiveLists(
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
