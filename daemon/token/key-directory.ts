import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../base/atomic-file.ts';
import type { KeyPair } from '../certificate/certificate-maker.ts';
import { parseFirstCertificate, readPrivateKey, readText } from '../certificate/pem-file.ts';
import { isPresent } from '../certificate/tls-files.ts';
import { createSigningKey, trustCertificate } from './signing-key.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';

/** A key that signs no more, and how long its tokens still count. */
interface FormerKey {
  readonly key: SigningKey;
  /** Whole seconds since the epoch. */
  readonly trustedUntilSeconds: number;
}

/**
 * The files of one service whose keys the gateway makes itself; directory 0700, files 0600.
 *
 * - `signing.pem`: the key that signs and its certificate, in one file so that they change together
 * - `<kid>.crt`: that certificate again, so that tokens can be verified without the key
 * - `<kid>.<seconds>.crt`: the certificate of a former key, trusted until then
 *
 * Whatever the moment of a crash: either the former or the new key signs, and the certificate of the one that does is there.
 */
export interface KeyDirectory {
  readonly signingFile: string;
  /**
   * @returns undefined when no key has been made yet
   * @throws {CertificateError}
   */
  findSigningKey(): Promise<SigningKey | undefined>;
  /** @throws {CertificateError} */
  listTrustedKeys(nowMs: number): Promise<readonly TrustedKey[]>;
  /**
   * Lets another key sign from now on.
   *
   * @param former the key until now, when its tokens shall still count; without it no former key counts any more
   */
  replaceSigningKey(pair: KeyPair, nowMs: number, former?: FormerKey): Promise<void>;
}

const CERTIFICATE_NAME = /^(?<kid>[A-Za-z0-9_-]{43})(?:\.(?<seconds>\d{1,12}))?\.crt$/;

/** Opens the directory of a service; it is made with its first key. */
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

  async function removeSurplus(signingKid: string, nowMs: number, isFormerTrusted: boolean): Promise<void> {
    for (const { name, kid, trustedUntilMs } of await listCertificateFiles()) {
      const isFormer = trustedUntilMs !== Infinity;
      const isNeeded = isFormer ? isFormerTrusted && trustedUntilMs > nowMs : kid === signingKid;
      if (!isNeeded) await rm(at(name), { force: true });
    }
    // Left behind by a crash; may hold a key.
    const temporary = (await readdir(directory)).filter((name) => name.endsWith('.tmp'));
    for (const name of temporary) await rm(at(name), { force: true });
  }

  return {
    signingFile,
    findSigningKey,
    async listTrustedKeys(nowMs) {
      const signing = await findSigningKid(signingFile);
      const files = (await listCertificateFiles()).filter(({ kid, trustedUntilMs }) =>
        trustedUntilMs === Infinity ? signing === undefined || kid === signing : trustedUntilMs > nowMs,
      );
      const keys: TrustedKey[] = [];
      for (const { name, trustedUntilMs } of files) {
        const certificate = parseFirstCertificate(at(name), await readText(at(name)));
        keys.push(trustCertificate(certificate, trustedUntilMs));
      }
      return keys;
    },
    async replaceSigningKey(pair, nowMs, former) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await syncDirectory(path.dirname(directory));
      const { kid } = trustCertificate(parseFirstCertificate(signingFile, pair.certificate));
      await writeFileAtomically(at(`${kid}.crt`), pair.certificate);
      if (former !== undefined) {
        const name = `${former.key.kid}.${former.trustedUntilSeconds}.crt`;
        await writeFileAtomically(at(name), former.key.certificate.toString());
      }
      // From here on the new key signs.
      await writeFileAtomically(signingFile, `${pair.privateKey}${pair.certificate}`);
      await removeSurplus(kid, nowMs, former !== undefined);
    },
  };
}

interface CertificateFile {
  readonly name: string;
  readonly kid: string;
  /** Infinity: of the key that signs. */
  readonly trustedUntilMs: number;
}

/** Undefined when the file cannot be read: its certificate is trusted all the same, from a file of its own. */
async function findSigningKid(signingFile: string): Promise<string | undefined> {
  try {
    return trustCertificate(parseFirstCertificate(signingFile, await readText(signingFile))).kid;
  } catch {
    return undefined;
  }
}
