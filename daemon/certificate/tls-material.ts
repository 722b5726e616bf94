import { createSecureContext } from 'node:tls';

import { CertificateError } from './certificate-error.ts';
import { parseCertificates, readPrivateKey, readText, splitPem } from './pem-file.ts';
import type { TlsFiles } from './tls-files.ts';

/** What a TLS listener needs; all of it is PEM and fits together. */
export interface TlsMaterial {
  /** The server certificate, followed by its intermediates. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Trusted authorities of client certificates; empty: none is trusted. */
  readonly clientCertificateAuthorities: readonly string[];
  /** One entry per list; empty: nothing is known to be revoked. */
  readonly certificateRevocationLists: readonly string[];
  /** Milliseconds since the epoch at which the server certificate expires. */
  readonly expiresAtMs: number;
}

/**
 * Reads certificates and key of the listeners and checks that they can be used.
 *
 * Expiry is not checked: an expired certificate is a reason to warn, not to close the door on everybody.
 *
 * @throws {CertificateError} whose `detail` names the file: `CERTIFICATE_FILE_UNREADABLE`; `PRIVATE_KEY_TOO_OPEN` when
 *   others than the owner have rights on the key; `PRIVATE_KEY_INVALID`, `CERTIFICATE_INVALID`;
 *   `CERTIFICATE_KEY_MISMATCH`; `CERTIFICATE_AUTHORITIES_INVALID` when the file holds no certificate or one that is not
 *   of an authority; `REVOCATION_LIST_INVALID`
 */
export async function loadTlsMaterial(files: TlsFiles): Promise<TlsMaterial> {
  const { certificateFile, privateKeyFile } = files;
  const certificate = await readText(certificateFile);
  const leaf = parseCertificates(certificateFile, certificate, 'CERTIFICATE_INVALID')[0];
  const privateKey = await readPrivateKey(privateKeyFile);
  if (leaf === undefined || !leaf.checkPrivateKey(privateKey.key)) {
    throw new CertificateError({
      code: 'CERTIFICATE_KEY_MISMATCH',
      detail: `the private key in ${privateKeyFile} does not belong to the certificate in ${certificateFile}`,
    });
  }
  refuseUnusable(files, { cert: certificate, key: privateKey.text });
  return {
    certificate,
    privateKey: privateKey.text,
    clientCertificateAuthorities: await readAuthorities(files.clientCertificateAuthoritiesFile),
    certificateRevocationLists: await readRevocationLists(files.certificateRevocationListFile),
    expiresAtMs: leaf.validToDate.getTime(),
  };
}

function refuseUnusable({ certificateFile }: TlsFiles, pair: { cert: string; key: string }): void {
  try {
    // OpenSSL refuses here what it would refuse at the first handshake: weak keys, weak digests, broken intermediates.
    createSecureContext(pair);
  } catch (cause) {
    throw new CertificateError({
      code: 'CERTIFICATE_INVALID',
      detail: `the certificate in ${certificateFile} is too weak or its chain is broken`,
      cause,
    });
  }
}

async function readAuthorities(file: string | null): Promise<readonly string[]> {
  if (file === null) return [];
  const authorities = parseCertificates(file, await readText(file), 'CERTIFICATE_AUTHORITIES_INVALID');
  for (const [index, authority] of authorities.entries()) {
    if (authority.ca) continue;
    throw new CertificateError({
      code: 'CERTIFICATE_AUTHORITIES_INVALID',
      detail: `certificate ${index + 1} in ${file} is not one of a certificate authority`,
    });
  }
  return authorities.map((authority) => authority.toString());
}

async function readRevocationLists(file: string | null): Promise<readonly string[]> {
  if (file === null) return [];
  const lists = splitPem(await readText(file), 'X509 CRL');
  try {
    if (lists.length === 0) throw new Error('no PEM block of the type X509 CRL');
    for (const crl of lists) createSecureContext({ crl });
    return lists;
  } catch (cause) {
    throw new CertificateError({
      code: 'REVOCATION_LIST_INVALID',
      detail: `${file} holds no certificate revocation list in PEM, or a broken one`,
      cause,
    });
  }
}
