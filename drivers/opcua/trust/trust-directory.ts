import { X509Certificate } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../../../daemon/base/file/atomic-file.ts';
import { ensurePrivateDirectory } from '../../../daemon/base/file/directory.ts';
import { Conflict, NotFound } from '../../../daemon/base/errors.ts';
import { readRegularFile } from '../../../daemon/base/file/regular-file.ts';
import { fingerprintOf } from './described-certificate.ts';

/** Contents of a directory maintained by an administrator: certificates and revocation lists. */
export interface TrustFiles {
  readonly certificates: readonly X509Certificate[];
  /** In DER. */
  readonly revocationLists: readonly Buffer[];
}

/** Trust lists of the gateway. */
export interface TrustLists {
  /** Servers and authorities that are trusted. */
  readonly trusted: TrustFiles;
  /** Authorities that complete a chain and are not trusted on their own. */
  readonly issuers: TrustFiles;
}

const TRUSTED = 'trusted';
const ISSUERS = 'issuers';
const REJECTED = 'rejected';
const MAXIMUM_FILES = 1000;
const MAXIMUM_FILE_BYTES = 1024 * 1024;
// A server that presents another certificate with each attempt must not fill the disk.
const MAXIMUM_REJECTED = 100;
const PEM = /-----BEGIN (CERTIFICATE|X509 CRL)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/**
 * Reads the trust lists, so that a change takes effect with the next attempt. Files may be PEM or DER with any name;
 * files without certificates or revocation lists are ignored.
 *
 * @param directory contains `trusted`, `issuers` and `rejected`, which are created if missing
 */
export async function readTrustLists(directory: string): Promise<TrustLists> {
  for (const name of [TRUSTED, ISSUERS, REJECTED]) await ensurePrivateDirectory(path.join(directory, name));
  return {
    trusted: await readTrustFiles(path.join(directory, TRUSTED)),
    issuers: await readTrustFiles(path.join(directory, ISSUERS)),
  };
}

/**
 * Stores a rejected certificate for review by an administrator.
 *
 * @returns the file name in `rejected`; the same for the same certificate
 */
export async function keepRejected(directory: string, certificate: X509Certificate): Promise<string> {
  const rejected = path.join(directory, REJECTED);
  const name = fileNameOf(certificate);
  await forgetOldest(rejected, name);
  await writeFileAtomically(path.join(rejected, name), certificate.toString());
  return name;
}

/**
 * Trusts a certificate itself, not its issuer, and removes it from `rejected`.
 *
 * @throws {Conflict} `OPCUA_TRUST_FULL`
 */
export async function trustCertificate(directory: string, certificate: X509Certificate): Promise<void> {
  const { trusted } = await readTrustLists(directory);
  const name = fileNameOf(certificate);
  if (!trusted.certificates.some(({ raw }) => raw.equals(certificate.raw))) {
    // Additional files would not be read.
    if ((await listFiles(path.join(directory, TRUSTED))).length >= MAXIMUM_FILES) {
      const detail = `the gateway trusts ${MAXIMUM_FILES} certificate files already; remove some`;
      throw new Conflict({ code: 'OPCUA_TRUST_FULL', detail });
    }
    await writeFileAtomically(path.join(directory, TRUSTED, name), certificate.toString());
  }
  await rm(path.join(directory, REJECTED, name), { force: true });
}

/**
 * Removes the trust in a certificate.
 *
 * @param fingerprint SHA-256, in lower-case hexadecimal digits
 * @throws {NotFound} `OPCUA_CERTIFICATE_NOT_TRUSTED`
 * @throws {Conflict} `OPCUA_TRUST_FILE_SHARED` if its file contains other certificates too
 */
export async function distrustCertificate(directory: string, fingerprint: string): Promise<X509Certificate> {
  await readTrustLists(directory);
  let found: X509Certificate | undefined;
  for (const file of await listFiles(path.join(directory, TRUSTED))) {
    const held = await readDer(file);
    const certificate = held
      .map(parseCertificate)
      .find((each) => each !== undefined && fingerprintOf(each) === fingerprint);
    if (certificate === undefined) continue;
    if (held.length > 1) {
      const detail = `${path.basename(file)} in trusted contains other certificates too; edit the file`;
      throw new Conflict({ code: 'OPCUA_TRUST_FILE_SHARED', detail });
    }
    await rm(file, { force: true });
    found = certificate;
  }
  if (found !== undefined) return found;
  const detail = `no certificate with the fingerprint ${fingerprint} is trusted by itself`;
  throw new NotFound({ code: 'OPCUA_CERTIFICATE_NOT_TRUSTED', detail });
}

function fileNameOf(certificate: X509Certificate): string {
  const { subject } = certificate;
  const commonName = /^CN=(.+)$/m.exec(subject ?? '')?.[1] ?? 'server';
  const readable = commonName.replaceAll(/[^A-Za-z0-9.-]+/g, '-').slice(0, 64);
  return `${readable}-${fingerprintOf(certificate).slice(0, 16)}.pem`;
}

async function forgetOldest(rejected: string, except: string): Promise<void> {
  const names = (await readdir(rejected)).filter((name) => name !== except);
  if (names.length < MAXIMUM_REJECTED) return;
  const files = await Promise.all(
    names.map(async (name) => ({ name, changedMs: (await stat(path.join(rejected, name))).mtimeMs })),
  );
  const oldest = files.toSorted((a, b) => a.changedMs - b.changedMs);
  for (const { name } of oldest.slice(0, files.length - MAXIMUM_REJECTED + 1)) {
    await rm(path.join(rejected, name), { force: true });
  }
}

async function readTrustFiles(directory: string): Promise<TrustFiles> {
  const certificates: X509Certificate[] = [];
  const revocationLists: Buffer[] = [];
  for (const file of (await listFiles(directory)).slice(0, MAXIMUM_FILES)) {
    for (const der of await readDer(file)) {
      const certificate = parseCertificate(der);
      if (certificate === undefined) revocationLists.push(der);
      else certificates.push(certificate);
    }
  }
  return { certificates, revocationLists };
}

async function listFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name));
}

async function readDer(file: string): Promise<readonly Buffer[]> {
  // A link may dangle, and a file may be removed while the directory is read.
  const { size } = await stat(file).catch(() => ({ size: Number.POSITIVE_INFINITY }));
  if (size > MAXIMUM_FILE_BYTES) return [];
  const content = await readRegularFile(file).catch(() => Buffer.alloc(0));
  if (!content.includes('-----BEGIN')) return [content];
  return [...content.toString('latin1').matchAll(PEM)].map(([, , base64 = '']) =>
    Buffer.from(base64, 'base64'),
  );
}

function parseCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
