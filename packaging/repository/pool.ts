import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { ARCHITECTURES } from '../architecture.ts';
import { run } from '../run.ts';
import { RepositoryError } from './repository-error.ts';

/** Directory of the packages in a repository. */
export const POOL = 'pool/main/p/penstock';

/**
 * Copies the packages of a folder into the pool of a repository. A package that is there already has to be the same.
 *
 * @returns the paths of the packages of the folder, from the folder of the repository
 * @throws {RepositoryError} when there is no package of this project, or another one of the same version
 */
export async function addPackages(packages: string, repository: string): Promise<readonly string[]> {
  const files = (await listFolder(packages)).filter((name) => name.endsWith('.deb')).sort();
  const added = [];
  for (const name of files) added.push(await addPackage(path.join(packages, name), repository));
  if (added.length === 0) throw new RepositoryError(`${packages} holds no package; "npm run deb" makes one`);
  return [...new Set(added)];
}

async function addPackage(file: string, repository: string): Promise<string> {
  const [name, version, architecture] = await readFields(file);
  if (name !== 'penstock' || version === undefined || !Object.hasOwn(ARCHITECTURES, architecture ?? '')) {
    throw new RepositoryError(
      `${file} is no package of penstock for ${Object.keys(ARCHITECTURES).join(' or ')}`,
    );
  }
  // The epoch of a version is not part of the name of its file (Debian Policy, 5.6.12).
  const place = path.join(POOL, `penstock_${version.replace(/^\d+:/, '')}_${architecture}.deb`);
  const target = path.join(repository, place);
  await mkdir(path.dirname(target), { recursive: true });
  const present = await readIfThere(target);
  if (present !== undefined && !present.equals(await readFile(file))) {
    const detail = 'a released version never changes';
    throw new RepositoryError(
      `${file}: there is another package of version ${version} for ${architecture}; ${detail}`,
    );
  }
  await copyFile(file, target);
  return place;
}

async function readFields(file: string): Promise<readonly (string | undefined)[]> {
  const names = ['Package', 'Version', 'Architecture'];
  try {
    const text = await run('dpkg-deb', ['--field', file, ...names]);
    return names.map((name) => new RegExp(`^${name}: (\\S+)$`, 'm').exec(text)?.[1]);
  } catch (cause) {
    throw new RepositoryError(`${file} is no Debian package`, { cause });
  }
}

async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new RepositoryError(`${folder} cannot be read`, { cause });
  }
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
