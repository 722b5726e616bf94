import type { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import { CertificateError } from './certificate-error.ts';
import { readFields } from './certificate-fields.ts';
import { selectActiveLists, ClientTrust } from './client-trust.ts';
import { parseCertificates, readPrivateKey, readText, splitPem } from './pem-file.ts';
import { parseRevocationList } from './revocation-list.ts';
import type { RevocationList } from './revocation-list.ts';
import type { TlsFiles } from './tls-files.ts';

/** Consistent keys and certificates of a TLS listener, in PEM. */
export interface TlsMaterial {
  /** The server certificate, followed by its intermediates. */
  readonly certificate: string;
  readonly privateKey: string;
  /** The server certificate itself. */
  readonly serverCertificate: X509Certificate;
  /** Trusted client certificate authorities; empty: none. */
  readonly clientCertificateAuthorities: readonly string[];
  /** Active revocation lists; empty: revocation is not checked. */
  readonly certificateRevocationLists: readonly string[];
  /** Verifies certificates on open connections and resumed sessions. */
  readonly clientTrust: ClientTrust;
  /** Expiry of the server certificate, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
  /** Expiries of the server certificate and the authorities. */
  readonly expiries: readonly CertificateExpiry[];
}

/** Expiry of a certificate, for renewal warnings. */
interface CertificateExpiry {
  readonly role: 'server' | 'clientAuthority';
  readonly subject: string;
  readonly fingerprint: string;
  /** Start of validity, in milliseconds since the epoch. */
  readonly validFromMs: number;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * Reads and verifies certificates and key of the listeners.
 *
 * Expiry is not checked: an expired certificate causes a warning instead of closing the ports.
 *
 * @throws {CertificateError} with the file in `detail`: `CERTIFICATE_FILE_UNREADABLE`; `PRIVATE_KEY_TOO_OPEN` if the key is
 *   accessible to other users; `PRIVATE_KEY_INVALID`, `CERTIFICATE_INVALID`, `KEY_WEAK`; `CERTIFICATE_KEY_MISMATCH`;
 *   `CERTIFICATE_AUTHORITIES_INVALID` if the file contains no certificate, or one that is not a CA certificate;
 *   `REVOCATION_LIST_INVALID` if the file contains no list, one that `parseRevocationList` rejects, or one that is not signed
 *   by the authority it names
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
    // OpenSSL already rejects here what it would reject at the first handshake: weak keys and digests, broken intermediates.
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

/** Returns the active lists; undefined without a file. */
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
    return selectActiveLists(authorities, lists);
  } catch (cause) {
    const reason = cause instanceof RangeError ? ` (${cause.message})` : '';
    throw new CertificateError({
      code: 'REVOCATION_LIST_INVALID',
      detail: `${file} contains no usable certificate revocation list in PEM${reason}`,
      cause,
    });
  }
}

/** Rejects forged lists of trusted authorities; lists of other authorities are harmless. */
function refuseForgedList(list: RevocationList, authorities: readonly X509Certificate[]): void {
  const named = authorities.filter((authority) => readFields(authority).subjectName === list.issuerName);
  if (named.length === 0 || named.some((authority) => list.isSignedBy(authority.publicKey))) return;
  throw new RangeError('the list is not signed by the authority that it names');
}
