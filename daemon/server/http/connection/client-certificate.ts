import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

import { readValidity } from '../../../base/key/certificate-validity.ts';

/** Properties of a verified client certificate. */
export interface ClientCertificate {
  /** Every common name of the subject. */
  readonly commonNames: readonly string[];
  readonly notAfterMs: number;
}

/** Period in which a certificate may be used. */
interface UsablePeriod {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Verifies client certificates against one set of authorities and revocation lists. */
export interface ClientTrust {
  /**
   * Returns the period in which a certificate may be used; undefined: never.
   *
   * @param wasVerified the handshake verified it against the same authorities and lists
   */
  findUsablePeriod(certificate: X509Certificate, wasVerified: boolean): UsablePeriod | undefined;
  /** True if one of the authorities issued the certificate. */
  hasIssuerOf(certificate: X509Certificate): boolean;
}

/** Trust against which the certificate of a connection is verified. */
interface ConnectionTrust {
  /** Currently active. */
  readonly present: () => ClientTrust | undefined;
  /** Active at the handshake. */
  readonly atHandshake: ClientTrust | undefined;
}

interface Presented extends ClientCertificate {
  readonly certificate: X509Certificate;
}

interface Verdict {
  readonly trust: ClientTrust | undefined;
  readonly period: UsablePeriod | undefined;
}

/**
 * The client certificate of one connection over TLS.
 *
 * The handshake alone is not enough: a resumed session repeats its verdict, and an open connection outlives it. So the
 * certificate is verified again whenever the authorities or lists change.
 */
export class PeerCertificate {
  readonly #socket: TLSSocket;
  readonly #trust: ConnectionTrust;
  // Reading a certificate costs more than a whole request, so it is read once, and verified once against each set of
  // authorities and lists.
  #presented: Presented | 'NONE' | undefined;
  #verdict: Verdict | undefined;

  constructor(socket: TLSSocket, trust: ConnectionTrust) {
    this.#socket = socket;
    this.#trust = trust;
  }

  /**
   * Returns the certificate that the handshake verified.
   *
   * @returns undefined without a certificate, and for one that did not verify, has expired since, was revoked or lost its
   *   authority
   */
  find(nowMs: number): ClientCertificate | undefined {
    this.#presented ??= readCertificate(this.#socket) ?? 'NONE';
    if (this.#presented === 'NONE') return undefined;
    const period = this.#findUsablePeriod(this.#presented);
    return period !== undefined && period.fromMs <= nowMs && nowMs <= period.untilMs
      ? this.#presented
      : undefined;
  }

  #findUsablePeriod({ certificate }: Presented): UsablePeriod | undefined {
    const trust = this.#trust.present();
    if (this.#verdict === undefined || this.#verdict.trust !== trust) {
      const period =
        trust === undefined
          ? readValidity(certificate)
          : trust.findUsablePeriod(certificate, trust === this.#trust.atHandshake);
      this.#verdict = { trust, period };
    }
    return this.#verdict.period;
  }
}

function readCertificate(socket: TLSSocket): Presented | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const names: unknown = certificate.toLegacyObject().subject?.CN;
  const commonNames = (Array.isArray(names) ? names : [names]).filter((name) => typeof name === 'string');
  return { certificate, commonNames, notAfterMs: readValidity(certificate).untilMs };
}
