import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { ARCHITECTURES } from '../architecture.ts';
import { run } from '../run.ts';

const execute = promisify(execFile);

/** Directory of the package lists in a repository. */
export const DISTRIBUTION = 'dists/stable';

const DAY_SECONDS = 86_400;
// Weaker digests give no protection.
const DIGESTS = ['MD5', 'SHA1', 'SHA512'].flatMap((name) => ['-o', `APT::FTPArchive::${name}=false`]);
const LARGEST_LIST_BYTES = 64 * 1024 * 1024;

/** Writes the lists of packages of a repository, one for each architecture, plain and compressed. */
export async function writePackageLists(repository: string): Promise<void> {
  for (const architecture of Object.keys(ARCHITECTURES)) {
    const folder = path.join(repository, DISTRIBUTION, `main/binary-${architecture}`);
    await mkdir(folder, { recursive: true });
    const list = await run('apt-ftparchive', ['--arch', architecture, ...DIGESTS, 'packages', 'pool'], {
      cwd: repository,
    });
    const file = path.join(folder, 'Packages');
    await writeFile(file, sortEntries(list));
    await writeFile(`${file}.gz`, gzipSync(sortEntries(list), { level: 9 }));
    const compressed = await execute('xz', ['--stdout', '--threads=1', '-6', file], {
      encoding: 'buffer',
      maxBuffer: LARGEST_LIST_BYTES,
    });
    await writeFile(`${file}.xz`, compressed.stdout);
  }
}

/** Writes the file that names the lists with their digests; it is what gets signed. */
export async function writeReleaseFile(
  repository: string,
  epochSeconds: number,
  validDays: number | undefined,
): Promise<string> {
  const fields = {
    Origin: 'Penstock',
    Label: 'Penstock',
    Suite: 'stable',
    Codename: 'stable',
    Architectures: Object.keys(ARCHITECTURES).join(' '),
    Components: 'main',
    Description: 'Packages of the Penstock gateway',
  };
  const options = Object.entries(fields).flatMap(([name, value]) => [
    '-o',
    `APT::FTPArchive::Release::${name}=${value}`,
  ]);
  const text = await run('apt-ftparchive', [
    ...DIGESTS,
    ...options,
    'release',
    path.join(repository, DISTRIBUTION),
  ]);
  const date = `Date: ${formatDate(epochSeconds)}`;
  const until =
    validDays === undefined ? '' : `\nValid-Until: ${formatDate(epochSeconds + validDays * DAY_SECONDS)}`;
  const file = path.join(repository, DISTRIBUTION, 'Release');
  await writeFile(file, text.replace(/^Date: .*$/m, `${date}${until}`));
  return file;
}

// The tool lists files in the order of their directory, which differs from machine to machine.
function sortEntries(list: string): string {
  const entries = list.split('\n\n').filter((entry) => entry.trim() !== '');
  return entries
    .map((entry) => `${entry.trimEnd()}\n\n`)
    .sort()
    .join('');
}

function formatDate(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toUTCString().replace('GMT', '+0000');
}
