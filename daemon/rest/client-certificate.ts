import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What the gateway needs of a verified client certificate. */
export interface ClientCertificate {
  /** Every common name of the subject. */
  readonly commonNames: readonly string[];
  readonly notAfterMs: number;
}

// Reading a certificate costs more than a whole request, so each connection does it once.
const certificates = new WeakMap<Socket, ClientCertificate | undefined>();

/**
 * Gives the client certificate that the handshake verified.
 *
 * @returns undefined without TLS, without a certificate, and for one that did not verify or has expired since
 */
export function findClientCertificate(socket: Socket, nowMs: number): ClientCertificate | undefined {
  if (!certificates.has(socket)) certificates.set(socket, readCertificate(socket));
  const certificate = certificates.get(socket);
  return certificate !== undefined && nowMs <= certificate.notAfterMs ? certificate : undefined;
}

function readCertificate(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject, valid_to: notAfter } = socket.getPeerCertificate();
  const names: unknown = subject?.CN;
  const commonNames = (Array.isArray(names) ? names : [names]).filter((name) => typeof name === 'string');
  return { commonNames, notAfterMs: Date.parse(notAfter) };
}
