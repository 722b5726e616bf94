import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What the gateway needs of a verified client certificate. */
export interface ClientCertificate {
  /** Every common name of the subject. */
  readonly commonNames: readonly string[];
  readonly notAfterMs: number;
}

/** Judges client certificates by the authorities and revocation lists of one time. */
export interface ClientTrust {
  /**
   * Says when a certificate may be used; undefined: never.
   *
   * @param wasVerified the handshake was judged by the same authorities and lists
   */
  findUsablePeriod(
    certificate: X509Certificate,
    wasVerified: boolean,
  ): { readonly fromMs: number; readonly untilMs: number } | undefined;
}

/** By whom the certificate of a connection is judged. */
export interface ConnectionTrust {
  /** In force now. */
  readonly present: () => ClientTrust | undefined;
  /** In force at the handshake. */
  readonly atHandshake: ClientTrust | undefined;
}

interface Presented extends ClientCertificate {
  readonly certificate: X509Certificate;
}

interface Judged {
  readonly trust: ClientTrust | undefined;
  readonly period: { readonly fromMs: number; readonly untilMs: number } | undefined;
}

// Reading a certificate costs more than a whole request, so each connection does it once, and has it judged once by each
// set of authorities and lists.
const certificates = new WeakMap<Socket, Presented | undefined>();
const judgements = new WeakMap<Socket, Judged>();
const trusts = new WeakMap<Socket, ConnectionTrust>();

/**
 * Has the certificate of a connection judged again whenever other authorities or lists come into force.
 *
 * The handshake alone does not do: a resumed session repeats its verdict, and an open connection outlives it.
 */
export function watchConnection(socket: Socket, trust: ConnectionTrust): void {
  trusts.set(socket, trust);
}

/**
 * Gives the client certificate that the handshake verified.
 *
 * @returns undefined without TLS, without a certificate, and for one that did not verify, has expired since, was revoked
 *   or lost its authority
 */
export function findClientCertificate(socket: Socket, nowMs: number): ClientCertificate | undefined {
  if (!certificates.has(socket)) certificates.set(socket, readCertificate(socket));
  const presented = certificates.get(socket);
  if (presented === undefined) return undefined;
  const period = findUsablePeriod(socket, presented);
  return period !== undefined && period.fromMs <= nowMs && nowMs <= period.untilMs ? presented : undefined;
}

function findUsablePeriod(socket: Socket, { certificate, notAfterMs }: Presented): Judged['period'] {
  const connection = trusts.get(socket);
  const trust = connection?.present();
  let judged = judgements.get(socket);
  if (judged === undefined || judged.trust !== trust) {
    judged =
      trust === undefined
        ? { trust, period: { fromMs: certificate.validFromDate.getTime(), untilMs: notAfterMs } }
        : { trust, period: trust.findUsablePeriod(certificate, trust === connection?.atHandshake) };
    judgements.set(socket, judged);
  }
  return judged.period;
}

function readCertificate(socket: Socket): Presented | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const names: unknown = certificate.toLegacyObject().subject?.CN;
  const commonNames = (Array.isArray(names) ? names : [names]).filter((name) => typeof name === 'string');
  return { certificate, commonNames, notAfterMs: certificate.validToDate.getTime() };
}
