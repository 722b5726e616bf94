import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';
import type { KeyPair } from '../certificate/certificate-maker.ts';
import { parseFirstCertificate, readPrivateKey, readText } from '../certificate/pem-file.ts';
import { isPresent } from '../certificate/tls-files.ts';
import { createSigningKey, trustCertificate } from './signing-key.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';

/** A key that no longer signs, and how long its tokens remain valid. */
interface PreviousKey {
  readonly key: SigningKey;
  /** Whole seconds since the epoch. */
  readonly trustedUntilSeconds: number;
}

/**
 * The key files of one service whose keys the gateway creates; directory 0700, files 0600.
 *
 * - `signing.pem`: the key that signs and its certificate, in one file so that they change together; a line before them says
 *   when no previous key counts, so that this changes at the same moment
 * - `<kid>.crt`: that certificate again, so that tokens can be verified without the key
 * - `<kid>.<seconds>.crt`: the certificate of a previous key, trusted until that time
 *
 * After a crash at any moment either the previous or the new key signs, and the certificate of that key exists.
 */
export interface KeyDirectory {
  readonly signingFile: string;
  /**
   * Reads the key that signs.
   *
   * @returns undefined when no key has been created yet
   * @throws {CertificateError}
   */
  findSigningKey(): Promise<SigningKey | undefined>;
  /**
   * Reads the keys whose signatures count.
   *
   * @throws {CertificateError}
   */
  listTrustedKeys(nowMs: number): Promise<readonly TrustedKey[]>;
  /**
   * Replaces the key that signs, as a whole: it is on disk when the call returns.
   *
   * @param previous the key until now, if its tokens remain valid; without it no previous key counts any longer
   */
  replaceSigningKey(pair: KeyPair, previous?: PreviousKey): Promise<void>;
  /** Removes the files that no longer count, and those that a crash has left behind; they count as little while they are there. */
  removeSurplus(nowMs: number): Promise<void>;
}

// Text before a PEM block is not part of it (RFC 7468, 2).
const WITHOUT_PREVIOUS = 'Previous keys: void\n';
const CERTIFICATE_NAME = /^(?<kid>[A-Za-z0-9_-]{43})(?:\.(?<seconds>\d{1,12}))?\.crt$/;

/** Opens the directory of a service; the directory is created with its first key. */
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
        // Where a crash has left keys behind that count no longer, they must not count again with the line gone.
        if ((await readSigner(signingFile)).isAlone) await removeFiles(isPrevious);
        const name = `${previous.key.kid}.${previous.trustedUntilSeconds}.crt`;
        // This syncs the directory too.
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
  /** Infinity for the key that signs. */
  readonly trustedUntilMs: number;
}

/** The key that signs. */
interface Signer {
  readonly kid: string;
  /** No previous key counts. */
  readonly isAlone: boolean;
}

function counts(file: CertificateFile, { kid, isAlone }: Signer, nowMs: number): boolean {
  return isPrevious(file) ? !isAlone && file.trustedUntilMs > nowMs : file.kid === kid;
}

function isPrevious({ trustedUntilMs }: CertificateFile): boolean {
  return trustedUntilMs !== Infinity;
}

/** Returns undefined when the file cannot be read: its certificate is trusted all the same, from its own file. */
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
