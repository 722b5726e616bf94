import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ARCHITECTURES } from './architecture.ts';
import type { Architecture } from './architecture.ts';
import { bundlePrograms } from './bundle-programs.ts';
import { describeMissingPrograms, describeNarrowNpm } from './needed-programs.ts';
import { buildTree } from './package-tree.ts';
import { readRelease } from './release.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';
import { findUnknown, readToolOptions } from './tool-options.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

const USAGE = `Usage: npm run deb -- [--arch amd64|arm64] [--output FOLDER] [--fast]

  --arch     architecture of the machine that the package is for (default: both)
  --output   folder that the package is written to (default: build)
  --fast     compress little, for packages that stay here

SOURCE_DATE_EPOCH sets the time of every file (default: the newest commit).
`;

await main();

async function main(): Promise<void> {
  const values = readToolOptions(
    USAGE,
    {
      arch: { type: 'string' },
      output: { type: 'string', default: 'build' },
      fast: { type: 'boolean', default: false },
    },
    ({ arch }) => findUnknown('--arch', arch === undefined ? [] : [arch], Object.keys(ARCHITECTURES)),
  );
  const architectures = Object.values(ARCHITECTURES).filter(
    ({ debian }) => values.arch === undefined || debian === values.arch,
  );
  const missing = describeMissingPrograms(architectures) ?? describeNarrowNpm(architectures);
  if (missing !== undefined) {
    report(missing);
    process.exitCode = 1;
    return;
  }
  const release = readRelease(ROOT);
  const output = path.resolve(values.output);
  await mkdir(output, { recursive: true });
  report('bundles the programs');
  await bundlePrograms();
  for (const architecture of architectures) {
    const file = await buildPackage(architecture, release, output, values.fast);
    process.stdout.write(`${file}\n`);
  }
}

async function buildPackage(
  architecture: Architecture,
  release: Release,
  output: string,
  isFast: boolean,
): Promise<string> {
  const work = mkdtempSync(path.join(tmpdir(), 'penstock-deb-'));
  try {
    const tree = path.join(work, 'tree');
    report(`${architecture.debian}: installs the modules, lays out the files`);
    const control = await buildTree({ root: ROOT, tree, work, architecture, release });
    await mkdir(path.join(tree, 'DEBIAN'), { recursive: true });
    for (const [name, { text, mode }] of Object.entries(control)) {
      await writeFile(path.join(tree, 'DEBIAN', name), text, { mode });
    }
    const file = path.join(output, `penstock_${release.version}_${architecture.debian}.deb`);
    report(`${architecture.debian}: packs them${isFast ? '' : ', which takes a minute'}`);
    // One thread: the same bytes on every machine.
    const compression = isFast ? ['-Zzstd', '-z3'] : ['-Zxz', '-z6', '--threads-max=1'];
    await run('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, file], {
      environment: { SOURCE_DATE_EPOCH: String(release.epochSeconds) },
    });
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Reports progress on standard error; standard output has the names of the packages. */
function report(step: string): void {
  process.stderr.write(`${step}\n`);
}
