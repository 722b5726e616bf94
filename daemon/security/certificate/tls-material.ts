import type { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import { CertificateError } from './certificate-error.ts';
import { readFields } from './certificate-fields.ts';
import { chooseListsInForce, ClientTrust } from './client-trust.ts';
import { parseCertificates, readPrivateKey, readText, splitPem } from './pem-file.ts';
import { parseRevocationList } from './revocation-list.ts';
import type { RevocationList } from './revocation-list.ts';
import type { TlsFiles } from './tls-files.ts';

/** Keys and certificates of a TLS listener; all of it is PEM and fits together. */
export interface TlsMaterial {
  /** The server certificate, followed by its intermediates. */
  readonly certificate: string;
  readonly privateKey: string;
  /** The server certificate itself. */
  readonly serverCertificate: X509Certificate;
  /** Trusted authorities of client certificates; empty: none is trusted. */
  readonly clientCertificateAuthorities: readonly string[];
  /** One entry per list that is in force; empty: revocation is not checked. */
  readonly certificateRevocationLists: readonly string[];
  /** The authorities and lists to verify certificates on open connections and resumed sessions. */
  readonly clientTrust: ClientTrust;
  /** Milliseconds since the epoch at which the server certificate expires. */
  readonly expiresAtMs: number;
  /** When the server certificate and each authority expire. */
  readonly expiries: readonly CertificateExpiry[];
}

/** When a certificate that somebody has to renew expires. */
interface CertificateExpiry {
  readonly role: 'server' | 'clientAuthority';
  readonly subject: string;
  readonly fingerprint: string;
  /** The first moment at which it is valid, in milliseconds since the epoch. */
  readonly validFromMs: number;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * Reads certificates and key of the listeners and checks that they can be used.
 *
 * Expiry is not checked: an expired certificate is a reason to warn, not to close the door on everybody.
 *
 * @throws {CertificateError} whose `detail` names the file: `CERTIFICATE_FILE_UNREADABLE`; `PRIVATE_KEY_TOO_OPEN` when
 *   others than the owner have rights on the key; `PRIVATE_KEY_INVALID`, `CERTIFICATE_INVALID`, `KEY_WEAK`;
 *   `CERTIFICATE_KEY_MISMATCH`; `CERTIFICATE_AUTHORITIES_INVALID` when the file holds no certificate or one that is not
 *   of an authority; `REVOCATION_LIST_INVALID` when the file holds no list, one that
 *   `parseRevocationList` does not accept, or one that names an authority which has not signed it
 */
export async function loadTlsMaterial(files: TlsFiles): Promise<TlsMaterial> {
  const { certificateFile, privateKeyFile } = files;
  const certificate = await readText(certificateFile);
  const leaf = parseCertificates(certificateFile, certificate, 'CERTIFICATE_INVALID')[0];
  const privateKey = await readPrivateKey(privateKeyFile);
  if (leaf === undefined || !leaf.checkPrivateKey(privateKey.key)) {
    throw new CertificateError({
      code: 'CERTIFICATE_KEY_MISMATCH',
      detail: `private key ${privateKeyFile} does not match certificate ${certificateFile}`,
    });
  }
  refuseUnusable(files, { cert: certificate, key: privateKey.text });
  const authorities = await readAuthorities(files.clientCertificateAuthoritiesFile);
  const lists = await readRevocationLists(files.certificateRevocationListFile, authorities);
  return {
    certificate,
    privateKey: privateKey.text,
    serverCertificate: leaf,
    clientCertificateAuthorities: authorities.map((authority) => authority.toString()),
    certificateRevocationLists: (lists ?? []).map(({ pem }) => pem),
    clientTrust: new ClientTrust(authorities, lists),
    expiresAtMs: leaf.validToDate.getTime(),
    expiries: [
      describeExpiry('server', leaf),
      ...authorities.map((authority) => describeExpiry('clientAuthority', authority)),
    ],
  };
}

function describeExpiry(role: CertificateExpiry['role'], certificate: X509Certificate): CertificateExpiry {
  const { subject, fingerprint256, validFromDate, validToDate } = certificate;
  return {
    role,
    subject: subject.replaceAll('\n', ', '),
    fingerprint: fingerprint256,
    validFromMs: validFromDate.getTime(),
    expiresAtMs: validToDate.getTime(),
  };
}

function refuseUnusable({ certificateFile }: TlsFiles, pair: { cert: string; key: string }): void {
  try {
    // OpenSSL refuses here what it would refuse at the first handshake: weak keys, weak digests, broken intermediates.
    createSecureContext(pair);
  } catch (cause) {
    throw new CertificateError({
      code: 'CERTIFICATE_INVALID',
      detail: `certificate ${certificateFile} is too weak, or its chain is broken`,
      cause,
    });
  }
}

async function readAuthorities(file: string | null): Promise<readonly X509Certificate[]> {
  if (file === null) return [];
  const authorities = parseCertificates(file, await readText(file), 'CERTIFICATE_AUTHORITIES_INVALID');
  for (const [index, authority] of authorities.entries()) {
    if (authority.ca) continue;
    throw new CertificateError({
      code: 'CERTIFICATE_AUTHORITIES_INVALID',
      detail: `certificate ${index + 1} in ${file} is not a CA certificate`,
    });
  }
  return authorities;
}

/** Returns the lists in force; undefined without a file. */
async function readRevocationLists(
  file: string | null,
  authorities: readonly X509Certificate[],
): Promise<readonly RevocationList[] | undefined> {
  if (file === null) return undefined;
  const blocks = splitPem(await readText(file), 'X509 CRL');
  try {
    if (blocks.length === 0) throw new Error('no PEM block of the type X509 CRL');
    for (const crl of blocks) createSecureContext({ crl });
    const lists = blocks.map(parseRevocationList);
    for (const list of lists) refuseForgedList(list, authorities);
    return chooseListsInForce(authorities, lists);
  } catch (cause) {
    const reason = cause instanceof RangeError ? ` (${cause.message})` : '';
    throw new CertificateError({
      code: 'REVOCATION_LIST_INVALID',
      detail: `${file} contains no usable certificate revocation list in PEM${reason}`,
      cause,
    });
  }
}

/** Lists of other authorities are of no use, but do no harm; one in the name of a trusted authority would. */
function refuseForgedList(list: RevocationList, authorities: readonly X509Certificate[]): void {
  const named = authorities.filter((authority) => readFields(authority).subjectName === list.issuerName);
  if (named.length === 0 || named.some((authority) => list.isSignedBy(authority.publicKey))) return;
  throw new RangeError('the list is not signed by the authority that it names');
}
