import { X509Certificate } from 'node:crypto';

import { buildCertificate } from '../../../daemon/security/certificate/certificate-builder.ts';
import type { KeyPair } from '../../../daemon/security/certificate/certificate-issuer.ts';

/** Certificates that are valid in a world, whose time is not that of the machine. */
export interface WorldCertificates {
  readonly server: KeyPair;
  /** PEM; the authority of every client. */
  readonly clientAuthority: string;
  readonly clients: ReadonlyMap<string, X509Certificate>;
}

const DAYS = 3650;
// The clock of a gateway may be set back.
const VALID_BEFORE_MS = 30 * 86_400_000;

/**
 * Makes the certificates of a world.
 *
 * @param clients the identities that have a certificate
 * @param nowMs when the world begins, in milliseconds since the epoch; they are valid for a while already
 */
export async function makeWorldCertificates(
  clients: readonly string[],
  nowMs: number,
): Promise<WorldCertificates> {
  const make = (request: Parameters<typeof buildCertificate>[0]): Promise<KeyPair> =>
    buildCertificate(request, nowMs - VALID_BEFORE_MS);
  const authority = await make({ kind: 'authority', commonName: 'Authority of clients', days: DAYS });
  const names = { hostNames: ['gateway'], addresses: [] };
  const server = await make({
    kind: 'server',
    commonName: 'gateway',
    days: DAYS,
    names,
    issuer: undefined,
  });
  const made = new Map<string, X509Certificate>();
  for (const commonName of clients) {
    const { certificate } = await make({ kind: 'client', commonName, days: DAYS, issuer: authority });
    made.set(commonName, new X509Certificate(certificate));
  }
  return { server, clientAuthority: authority.certificate, clients: made };
}
