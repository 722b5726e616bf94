import { existsSync } from 'node:fs';
import path from 'node:path';

import { RepositoryError } from './repository-error.ts';

/** What a repository is made with, and the Debian package of each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'apt-ftparchive': 'apt-utils',
  'dpkg-deb': 'dpkg',
  gpg: 'gpg',
  'gpg-agent': 'gpg-agent',
  gpgconf: 'gpgconf',
  xz: 'xz-utils',
};

/**
 * Refuses to go on without the programs that make a repository.
 *
 * @throws {RepositoryError} that names the packages to install
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
