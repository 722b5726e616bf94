import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { run } from '../../packaging/run.ts';

/** The differences between another release and the built package. */
export interface OtherRelease {
  readonly version: string;
  /** Added to the configuration that the package brings. */
  readonly configuration: string;
  /** It has one step of migration more, and so writes a store that the built package does not know. */
  readonly hasNewerStore: boolean;
}

// Tables of every module are brought up to date in this loop; variables of built programs have other names.
const MIGRATIONS = /(?<head>for\(const (?<each>[\w$]+) of )(?<all>[\w$]+)(?=\)[\w$]+\.migrate\(\k<each>\))/;
const MORE_MIGRATIONS = `$<head>$<all>.map(({ module, steps }) =>
  ({ module, steps: module === 'configuration' ? [...steps, 'CREATE TABLE later (value TEXT) STRICT'] : steps }))`;

/** Builds the package of another release from a built one, in a folder, and returns its file. */
export async function buildOtherRelease(
  packageFile: string,
  folder: string,
  { version, configuration, hasNewerStore }: OtherRelease,
): Promise<string> {
  const tree = path.join(folder, `tree-${version}`);
  await run('dpkg-deb', ['-R', packageFile, tree]);
  await replaceIn(path.join(tree, 'DEBIAN/control'), /^Version: .*$/m, `Version: ${version}`);
  const library = path.join(tree, 'usr/lib/penstock');
  await replaceIn(path.join(library, 'package.json'), /"version": ".*"/, `"version": "${version}"`);
  await replaceIn(path.join(tree, 'etc/penstock/penstock.yaml'), /$/, configuration);
  if (hasNewerStore) await replaceIn(await findProgram(library), MIGRATIONS, MORE_MIGRATIONS);
  const file = path.join(folder, `penstock_${version}.deb`);
  await run('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z1', '--build', tree, file]);
  return file;
}

/** Finds the file of the programs that brings the store up to date. */
async function findProgram(library: string): Promise<string> {
  const folder = path.join(library, 'daemon');
  for (const name of await readdir(folder, { recursive: true })) {
    const file = path.join(folder, name);
    if (name.endsWith('.js') && MIGRATIONS.test(await readFile(file, 'utf8'))) return file;
  }
  throw new Error(`no program below ${folder} holds ${String(MIGRATIONS)}`);
}

async function replaceIn(file: string, wanted: RegExp, replacement: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const text = before.replace(wanted, replacement);
  if (text === before) throw new Error(`${file} does not hold ${String(wanted)}`);
  await writeFile(file, text);
}
