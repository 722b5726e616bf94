import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';
import type { KeyPair } from '../certificate/certificate-issuer.ts';
import { parseFirstCertificate, readPrivateKey, readText } from '../certificate/pem-file.ts';
import { isPresent } from '../certificate/tls-files.ts';
import { createSigningKey, trustCertificate } from './signing-key.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';

/** A former signing key with the end of its trust period. */
interface PreviousKey {
  readonly key: SigningKey;
  /** Whole seconds since the epoch. */
  readonly trustedUntilSeconds: number;
}

/**
 * Key files of one service with gateway-generated keys; directory 0700, files 0600.
 *
 * - `signing.pem`: signing key and certificate, in one file so that they change atomically; a preceding line marks that no
 *   previous key is trusted
 * - `<kid>.crt`: copy of the certificate, to verify tokens without the key
 * - `<kid>.<seconds>.crt`: certificate of a previous key, trusted until that time
 *
 * After a crash at any moment, either the previous or the new key signs, and its certificate exists.
 */
export interface KeyDirectory {
  readonly signingFile: string;
  /**
   * Reads the signing key.
   *
   * @returns undefined if no key has been created yet
   * @throws {CertificateError}
   */
  findSigningKey(): Promise<SigningKey | undefined>;
  /**
   * Reads the trusted keys.
   *
   * @throws {CertificateError}
   */
  listTrustedKeys(nowMs: number): Promise<readonly TrustedKey[]>;
  /**
   * Replaces the signing key atomically; it is on disk when the call returns.
   *
   * @param previous former key, if its tokens remain valid; if absent, no previous key is trusted any longer
   */
  replaceSigningKey(pair: KeyPair, previous?: PreviousKey): Promise<void>;
  /** Deletes outdated files and those left behind by a crash; they are ignored in any case. */
  removeSurplus(nowMs: number): Promise<void>;
}

// Text before a PEM block is not part of it (RFC 7468, 2).
const WITHOUT_PREVIOUS = 'Previous keys: void\n';
const CERTIFICATE_NAME = /^(?<kid>[A-Za-z0-9_-]{43})(?:\.(?<seconds>\d{1,12}))?\.crt$/;

/** Opens the key directory of a service; the directory is created with the first key. */
export function createKeyDirectory(directory: string): KeyDirectory {
  const signingFile = path.join(directory, 'signing.pem');
  const at = (name: string): string => path.join(directory, name);

  async function findSigningKey(): Promise<SigningKey | undefined> {
    if (!(await isPresent(signingFile))) return undefined;
    const { text, key } = await readPrivateKey(signingFile);
    return createSigningKey(key, parseFirstCertificate(signingFile, text));
  }

  async function listCertificateFiles(): Promise<readonly CertificateFile[]> {
    const names = (await isPresent(directory)) ? await readdir(directory) : [];
    return names.flatMap((name) => {
      const { kid, seconds } = CERTIFICATE_NAME.exec(name)?.groups ?? {};
      if (kid === undefined) return [];
      return [{ name, kid, trustedUntilMs: seconds === undefined ? Infinity : Number(seconds) * 1000 }];
    });
  }

  async function removeFiles(isSurplus: (file: CertificateFile) => boolean): Promise<void> {
    for (const file of (await listCertificateFiles()).filter(isSurplus))
      await rm(at(file.name), { force: true });
  }

  return {
    signingFile,
    findSigningKey,
    async listTrustedKeys(nowMs) {
      const signing = await findSigner(signingFile);
      const files = (await listCertificateFiles()).filter((file) =>
        signing === undefined ? file.trustedUntilMs > nowMs : counts(file, signing, nowMs),
      );
      const keys: TrustedKey[] = [];
      for (const { name, trustedUntilMs } of files) {
        const certificate = parseFirstCertificate(at(name), await readText(at(name)));
        keys.push(trustCertificate(certificate, trustedUntilMs));
      }
      return keys;
    },
    async replaceSigningKey(pair, previous) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await syncDirectory(path.dirname(directory));
      const { kid } = trustCertificate(parseFirstCertificate(signingFile, pair.certificate));
      await writeFileAtomically(at(`${kid}.crt`), pair.certificate);
      if (previous !== undefined) {
        // Untrusted keys left behind by a crash must not become trusted again when the line disappears.
        if ((await readSigner(signingFile)).isAlone) await removeFiles(isPrevious);
        const name = `${previous.key.kid}.${previous.trustedUntilSeconds}.crt`;
        // This also syncs the directory.
        await writeFileAtomically(at(name), previous.key.certificate.toString());
      }
      const line = previous === undefined ? WITHOUT_PREVIOUS : '';
      // From here on the new key signs.
      await writeFileAtomically(signingFile, `${line}${pair.privateKey}${pair.certificate}`);
    },
    async removeSurplus(nowMs) {
      const signing = await findSigner(signingFile);
      if (signing === undefined) return;
      await removeFiles((file) => !counts(file, signing, nowMs));
      // May contain a key.
      const temporary = (await readdir(directory)).filter((name) => name.endsWith('.tmp'));
      for (const name of temporary) await rm(at(name), { force: true });
      await syncDirectory(directory);
    },
  };
}

interface CertificateFile {
  readonly name: string;
  readonly kid: string;
  /** Infinity for the signing key. */
  readonly trustedUntilMs: number;
}

/** The signing key. */
interface Signer {
  readonly kid: string;
  /** True if no previous key is trusted. */
  readonly isAlone: boolean;
}

function counts(file: CertificateFile, { kid, isAlone }: Signer, nowMs: number): boolean {
  return isPrevious(file) ? !isAlone && file.trustedUntilMs > nowMs : file.kid === kid;
}

function isPrevious({ trustedUntilMs }: CertificateFile): boolean {
  return trustedUntilMs !== Infinity;
}

/** Returns undefined if the file cannot be read: its certificate is still trusted, from the separate file. */
async function findSigner(signingFile: string): Promise<Signer | undefined> {
  try {
    return await readSigner(signingFile);
  } catch {
    return undefined;
  }
}

/** @throws {CertificateError} */
async function readSigner(signingFile: string): Promise<Signer> {
  const text = await readText(signingFile);
  const { kid } = trustCertificate(parseFirstCertificate(signingFile, text));
  return { kid, isAlone: text.startsWith(WITHOUT_PREVIOUS) };
}
