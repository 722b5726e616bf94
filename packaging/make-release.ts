import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ARCHITECTURES } from './architecture.ts';
import { describeMissingPrograms, describeNarrowNpm } from './needed-programs.ts';
import { RepositoryError } from './repository/repository-error.ts';
import { withSigner } from './repository/signer.ts';
import { checkPrograms, writeRepository } from './repository/write-repository.ts';
import { listObstacles, readReleaseState } from './release-check.ts';
import { readRelease } from './release.ts';
import { run } from './run.ts';
import { describeDaysFault, readToolOptions } from './tool-options.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const BILL = './usr/share/doc/penstock/sbom.cdx.json';
const SUMS = 'SHA256SUMS';

const USAGE = `Usage: npm run release -- --key FILE [--out FOLDER] [--repository FOLDER] [--valid-days N] [--rehearsal]

  --key         OpenPGP secret key, without passphrase, that signs the repository and the checksums
  --out         new folder for packages, bills of materials and checksums (default: build/release-VERSION)
  --repository  folder of the apt repository, which keeps earlier releases (default: build/apt)
  --valid-days  clients reject the repository when it is older (default: never)
  --rehearsal   allow a commit without the tag of the version

Versions, changelog, tag, work tree, key and programs are checked before anything is built.
`;

await main();

async function main(): Promise<void> {
  const values = readToolOptions(
    USAGE,
    {
      key: { type: 'string' },
      out: { type: 'string' },
      repository: { type: 'string', default: 'build/apt' },
      'valid-days': { type: 'string' },
      rehearsal: { type: 'boolean', default: false },
    },
    ({ key, 'valid-days': days }) => {
      if (key === undefined) return '--key is missing';
      return describeDaysFault(days);
    },
  );
  const { key = '', repository, 'valid-days': days, rehearsal } = values;
  const release = readRelease(ROOT);
  const out = path.resolve(values.out ?? `build/release-${release.version}`);
  const keyFile = path.resolve(key);
  const obstacles = [
    ...listObstacles(readReleaseState(ROOT), rehearsal),
    ...listMissing(),
    ...(await checkKey(keyFile)),
    ...(existsSync(out) ? [`${out} already exists; remove it or choose another --out`] : []),
  ];
  if (obstacles.length > 0) {
    process.stderr.write(
      `cannot release ${release.version}:\n${obstacles.map((line) => `  ${line}\n`).join('')}`,
    );
    process.exitCode = 1;
    return;
  }
  await mkdir(path.dirname(out), { recursive: true });
  const made = await mkdtemp(`${out}.`);
  try {
    await run('npm', ['run', '-s', 'deb', '--', '--output', made], { cwd: ROOT });
    for (const name of await readdir(made)) await extractBill(made, name);
    await writeSums(made);
    await withSigner(keyFile, release.epochSeconds, (signer) =>
      signer.signBeside(path.join(made, SUMS), path.join(made, `${SUMS}.asc`)),
    );
    await writeRepository({
      keyFile,
      folder: path.resolve(repository),
      packages: made,
      epochSeconds: release.epochSeconds,
      validDays: days === undefined ? undefined : Number(days),
    });
    await chmod(made, 0o755);
    await rename(made, out);
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    process.stderr.write(`cannot release ${release.version}: ${error.message}\n`);
    process.exitCode = 1;
    return;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  process.stdout.write(`${out}\n${path.resolve(repository)}\n`);
}

function listMissing(): readonly string[] {
  const architectures = Object.values(ARCHITECTURES);
  const missing = describeMissingPrograms(architectures);
  // A check of npm needs npm.
  const obstacles = [missing ?? describeNarrowNpm(architectures)].filter((line) => line !== undefined);
  try {
    checkPrograms();
    return obstacles;
  } catch (error) {
    return [...obstacles, (error as Error).message];
  }
}

async function checkKey(keyFile: string): Promise<readonly string[]> {
  try {
    await withSigner(keyFile, 0, () => Promise.resolve());
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Writes the bill of materials that a package contains next to the package. */
async function extractBill(folder: string, name: string): Promise<void> {
  const archive = path.join(folder, `${name}.tar`);
  await run('sh', ['-c', 'dpkg-deb --fsys-tarfile "$1" > "$2"', 'sh', path.join(folder, name), archive]);
  const bill = await run('tar', ['--extract', '--to-stdout', '--file', archive, BILL]);
  await rm(archive);
  await writeFile(path.join(folder, name.replace(/\.deb$/, '.cdx.json')), bill);
}

/** Writes the SHA-256 checksums of the files of a folder, in the form that `sha256sum --check` reads. */
async function writeSums(folder: string): Promise<void> {
  const lines = [];
  for (const name of (await readdir(folder)).sort()) {
    const digest = createHash('sha256').update(await readFile(path.join(folder, name)));
    lines.push(`${digest.digest('hex')}  ${name}\n`);
  }
  await writeFile(path.join(folder, SUMS), lines.join(''));
}
