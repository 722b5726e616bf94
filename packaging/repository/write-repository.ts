import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { DISTRIBUTION, writePackageLists, writeReleaseFile } from './index-files.ts';
import { addPackages } from './pool.ts';
import { RepositoryError } from './repository-error.ts';
import { withSigner } from './signer.ts';

/** Programs that make a repository, with their Debian packages. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'apt-ftparchive': 'apt-utils',
  'dpkg-deb': 'dpkg',
  gpg: 'gpg',
  'gpg-agent': 'gpg-agent',
  gpgconf: 'gpgconf',
  xz: 'xz-utils',
};

/** Input of a repository. */
export interface RepositoryWork {
  readonly keyFile: string;
  /** Folder of the repository. */
  readonly folder: string;
  /** Folder with the packages to add. */
  readonly packages: string;
  readonly epochSeconds: number;
  /** Undefined: it never expires. */
  readonly validDays: number | undefined;
}

/** Name of the public key in a repository. */
const KEYRING = 'penstock-archive-keyring.gpg';

/**
 * Makes a signed apt repository of the packages in a folder, or adds them to an existing one. It is built in a temporary folder and
 * moved when complete, so that a reader never sees a partial one.
 *
 * @returns the paths of the added packages in the repository
 * @throws {RepositoryError} if it cannot be made; nothing has changed then
 */
export async function writeRepository(work: RepositoryWork): Promise<readonly string[]> {
  const { keyFile, folder, packages, epochSeconds, validDays } = work;
  checkPrograms();
  const previous = `${folder}.previous`;
  // The move below was cut off.
  if (!(await isThere(folder)) && (await isThere(previous))) await rename(previous, folder);
  const isPresent = await checkFolder(folder);
  await mkdir(path.dirname(folder), { recursive: true });
  const made = await mkdtemp(`${folder}.`);
  try {
    if (isPresent) await cp(path.join(folder, 'pool'), path.join(made, 'pool'), { recursive: true });
    const added = await addPackages(packages, made);
    await writePackageLists(made);
    const release = await writeReleaseFile(made, epochSeconds, validDays);
    await withSigner(keyFile, epochSeconds, async (signer) => {
      await signer.signInside(release, path.join(made, DISTRIBUTION, 'InRelease'));
      await signer.signBeside(release, path.join(made, DISTRIBUTION, 'Release.gpg'));
      await signer.exportKey(path.join(made, KEYRING));
    });
    await openForAll(made);
    await rm(previous, { recursive: true, force: true });
    if (await isThere(folder)) await rename(folder, previous);
    await rename(made, folder);
    await rm(previous, { recursive: true, force: true });
    return added;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Returns true if a folder is a repository; throws if it contains anything else. */
async function checkFolder(folder: string): Promise<boolean> {
  if (!(await isThere(folder))) return false;
  const names = (await stat(folder)).isDirectory() ? await readdir(folder) : undefined;
  if (names?.length === 0) return false;
  if (names?.includes('pool') === true && (await isThere(path.join(folder, DISTRIBUTION, 'Release'))))
    return true;
  throw new RepositoryError(`${folder} is something else than a repository`);
}

/** A web server reads it as another user. */
async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Checks that the programs that make a repository are installed.
 *
 * @throws {RepositoryError} with the packages to install
 */
export function checkPrograms(searchPath: string = process.env['PATH'] ?? ''): void {
  const folders = searchPath.split(':');
  const missing = Object.keys(PROGRAMS).filter(
    (program) => !folders.some((folder) => existsSync(path.join(folder, program))),
  );
  if (missing.length === 0) return;
  const packages = missing.map((program) => PROGRAMS[program] ?? '').sort();
  throw new RepositoryError(`${missing.join(', ')} missing: apt-get install ${packages.join(' ')}`);
}
