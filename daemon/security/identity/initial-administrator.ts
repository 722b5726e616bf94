import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';
import { GATEWAY_ITSELF } from './password/hash-source.ts';
import type { Identity } from './identity.ts';
import type { IdentityStore } from './identity-store.ts';
import type { PasswordHasher } from './password/password-hash.ts';
import { ADMIN_PERMISSION } from './permission.ts';

/** Name of the initial identity. */
export const INITIAL_ADMINISTRATOR = 'admin';

/** File in the data directory with the initial password, until the password is changed. */
export const INITIAL_PASSWORD_FILE = 'initial-admin-password';

interface InitialAdministratorOptions {
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly dataDirectory: string;
  readonly logger: Logger;
  /** Default: system randomness. */
  readonly random?: RandomSource;
}

// 192 bits; a multiple of three bytes needs no padding.
const PASSWORD_BYTES = 24;

/**
 * Ensures that an administrator can log in: on a gateway without identities, creates an administrator with a random password that
 * must be changed at the first login. The password is in a file that only the gateway's user can read.
 *
 * Crash-safe: the file is on disk before the identity exists, and a start that finds the file without an identity starts over. A file
 * with an outdated password is deleted.
 *
 * @returns the administrator if it was created by this call
 */
export async function ensureInitialAdministrator(
  options: InitialAdministratorOptions,
): Promise<Identity | undefined> {
  if (options.identities.list().length > 0) {
    await removeOutdatedFile(options);
    return undefined;
  }
  const { identities, hasher, dataDirectory, logger, random = systemRandom } = options;
  const password = random.bytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await hasher.hash(password, GATEWAY_ITSELF);
  await writeFileAtomically(fileIn(dataDirectory), `${password}\n`, 0o600);
  const administrator = identities.create({
    name: INITIAL_ADMINISTRATOR,
    permissions: [ADMIN_PERMISSION],
    passwordHash,
    passwordChangeNeeded: true,
  });
  logger.info('identity.administratorCreated', {
    identity: INITIAL_ADMINISTRATOR,
    file: INITIAL_PASSWORD_FILE,
  });
  return administrator;
}

/** Deletes the initial password file if it belongs to `name`; must be called after a password change. */
export async function removeInitialPassword(dataDirectory: string, name: string): Promise<void> {
  if (name === INITIAL_ADMINISTRATOR) await removeFile(dataDirectory);
}

/** Deletes a file left behind by a crash between password change and deletion. */
async function removeOutdatedFile(options: InitialAdministratorOptions): Promise<void> {
  const { identities, hasher, dataDirectory } = options;
  const password = await readPassword(dataDirectory);
  if (password === undefined) return;
  const administrator = identities.find(INITIAL_ADMINISTRATOR);
  const isValid = await hasher.verify(password, administrator?.passwordHash, GATEWAY_ITSELF);
  if (!isValid) await removeFile(dataDirectory);
}

async function readPassword(dataDirectory: string): Promise<string | undefined> {
  try {
    return (await readFile(fileIn(dataDirectory), 'utf8')).trimEnd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function removeFile(dataDirectory: string): Promise<void> {
  await rm(fileIn(dataDirectory), { force: true });
  await syncDirectory(dataDirectory);
}

function fileIn(dataDirectory: string): string {
  return path.join(dataDirectory, INITIAL_PASSWORD_FILE);
}
