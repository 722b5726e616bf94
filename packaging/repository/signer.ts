import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { RepositoryError } from './repository-error.ts';

const execute = promisify(execFile);

/** Signer with one OpenPGP key. */
export interface Signer {
  /** Writes a file together with its signature (RFC 9580, 7). */
  signInside(file: string, target: string): Promise<void>;
  /** Writes the signature of a file. */
  signBeside(file: string, target: string): Promise<void>;
  /** Writes the public key, for the machines that use what was signed. */
  exportKey(target: string): Promise<void>;
}

/**
 * Imports a key into a temporary keyring for the duration of `work`.
 *
 * @param epochSeconds time of the signatures; that of the key if it is younger
 * @throws {RepositoryError} when the file is not one secret key without passphrase
 */
export async function withSigner<T>(
  keyFile: string,
  epochSeconds: number,
  work: (signer: Signer) => Promise<T>,
): Promise<T> {
  await readKey(keyFile);
  // Short, because it contains the socket of the agent.
  const home = await mkdtemp(path.join(tmpdir(), 'penstock-gpg-'));
  const gpg = (...parameters: readonly string[]): Promise<string> => runGpg(home, parameters);
  try {
    await gpg('--import', keyFile).catch((error: unknown) => {
      throw new RepositoryError(`${keyFile} is no OpenPGP key`, { cause: error });
    });
    const { fingerprint, createdSeconds } = parseKeys(
      await gpg('--with-colons', '--list-secret-keys'),
      keyFile,
    );
    const time = `${Math.max(epochSeconds, createdSeconds)}!`;
    const sign = async (kind: readonly string[], file: string, target: string): Promise<void> => {
      const who = ['--local-user', fingerprint, '--digest-algo', 'SHA512', '--faked-system-time', time];
      await gpg(...who, ...kind, '--output', target, file).catch((error: unknown) => {
        throw new RepositoryError(
          `${keyFile} cannot sign; it needs a key for signatures, without passphrase`,
          {
            cause: error,
          },
        );
      });
    };
    return await work({
      signInside: (file, target) => sign(['--clear-sign'], file, target),
      signBeside: (file, target) => sign(['--armor', '--detach-sign'], file, target),
      exportKey: async (target) => void (await gpg('--output', target, '--export', fingerprint)),
    });
  } finally {
    await execute('gpgconf', ['--homedir', home, '--kill', 'all']).catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  }
}

async function readKey(keyFile: string): Promise<void> {
  try {
    await readFile(keyFile);
  } catch (cause) {
    throw new RepositoryError(`the key file ${keyFile} cannot be read`, { cause });
  }
}

async function runGpg(home: string, parameters: readonly string[]): Promise<string> {
  const common = [
    '--homedir',
    home,
    '--batch',
    '--yes',
    '--quiet',
    '--no-options',
    '--pinentry-mode',
    'error',
  ];
  const { stdout } = await execute('gpg', [...common, ...parameters], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  return stdout;
}

/** Reads the list of keys (GnuPG, doc/DETAILS: field 6 is the time of creation, field 10 of "fpr" the fingerprint). */
function parseKeys(list: string, keyFile: string) {
  const rows = list.split('\n').map((row) => row.split(':'));
  const keys = rows.filter(([kind]) => kind === 'sec');
  const fingerprint = rows.find(([kind]) => kind === 'fpr')?.[9];
  if (keys.length !== 1 || fingerprint === undefined) {
    const found = keys.length === 0 ? 'no secret key' : `${keys.length} secret keys`;
    throw new RepositoryError(`${keyFile} holds ${found}; expected one`);
  }
  const times = rows.filter(([kind]) => kind === 'sec' || kind === 'ssb').map((row) => Number(row[5]));
  return { fingerprint, createdSeconds: Math.max(...times) };
}
