import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

import { messageOf } from '../base/errors.ts';
import { CertificateError } from './certificate-error.ts';
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

// Certificates, keys and lists of real sites have a few kilobytes; lists of a large authority reach some megabytes.
const MAXIMUM_FILE_BYTES = 8 * 1024 * 1024;

const GROUP_AND_OTHERS = 0o077;

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

async function readPrivateKey(file: string): Promise<{ readonly text: string; readonly key: KeyObject }> {
  const text = await readText(file, (mode) => {
    if ((mode & GROUP_AND_OTHERS) === 0) return;
    throw new CertificateError({
      code: 'PRIVATE_KEY_TOO_OPEN',
      detail: `others than its owner have rights on the private key ${file} (mode ${(mode & 0o777).toString(8).padStart(4, '0')}); expected 0600`,
    });
  });
  try {
    return { text, key: createPrivateKey(text) };
  } catch (cause) {
    throw new CertificateError({
      code: 'PRIVATE_KEY_INVALID',
      detail: `${file} holds no private key in PEM without passphrase`,
      cause,
    });
  }
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

function parseCertificates(file: string, text: string, code: string): readonly X509Certificate[] {
  try {
    const certificates = splitPem(text, 'CERTIFICATE').map((block) => new X509Certificate(block));
    if (certificates.length === 0) throw new Error('no PEM block of the type CERTIFICATE');
    return certificates;
  } catch (cause) {
    throw new CertificateError({
      code,
      detail: `${file} holds no certificate in PEM, or a broken one`,
      cause,
    });
  }
}

/** Cuts a text at its encapsulation boundaries (RFC 7468, 2). */
function splitPem(text: string, label: string): readonly string[] {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  return text
    .split(begin)
    .slice(1)
    .map((rest) => `${begin}${rest.split(end)[0] ?? ''}${end}\n`);
}

async function readText(file: string, checkMode: (mode: number) => void = () => undefined): Promise<string> {
  try {
    await using handle = await open(file, 'r');
    const { mode, size } = await handle.stat();
    // On the open file: the name could be given to another one in between.
    checkMode(mode);
    if (size > MAXIMUM_FILE_BYTES) throw new Error(`longer than ${MAXIMUM_FILE_BYTES} bytes`);
    return await handle.readFile('utf8');
  } catch (error) {
    if (error instanceof CertificateError) throw error;
    throw new CertificateError({
      code: 'CERTIFICATE_FILE_UNREADABLE',
      detail: `${file} cannot be read (${reasonOf(error)})`,
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return messageOf(error);
}
