import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import { systemClock } from '../../base/clock.ts';
import type { UnpackedPackage } from '../../software/package/unpack-package.ts';
import { inspectPackage } from '../../software/package/package-inspection.ts';
import { makePackage } from '../../software/package/package-maker.ts';
import type { KeptBundle, PackageRecipe } from '../../software/package/package-maker.ts';
import { parseSourceDate } from '../../software/package/archive/zip-time.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { UsageError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

export const BUILD_OPTIONS = {
  name: { value: 'NAME', help: 'symbolic name, for example com.example.pumps' },
  version: { value: 'VERSION', help: 'version, for example 1.2.3' },
  output: { value: 'FILE', help: 'package to write (default: NAME_VERSION.dp)', names: 'file' },
  resources: { value: 'DIRECTORY', help: 'directory whose files are installed as resources', names: 'file' },
  'fix-pack': { value: 'RANGE', help: 'versions to fix, for example [1.0,2.0)' },
  kept: {
    value: 'NAME=VERSION',
    help: 'installed bundle that a fix package leaves unchanged',
    isRepeated: true,
  },
  'required-storage': { value: 'N', help: 'bytes of free storage that the package needs' },
} as const;

interface BuildOptions {
  readonly name?: string;
  readonly version?: string;
  readonly output?: string;
  readonly resources?: string;
  readonly 'fix-pack'?: string;
  readonly kept?: readonly string[];
  readonly 'required-storage'?: string;
}

/** Builds a package from directories, inspects it like a gateway, and writes it. */
export async function build({ words, options, terminal, show }: LocalInvocation): Promise<void> {
  const { name, version, output, resources, kept = [], ...more } = options as BuildOptions;
  if (name === undefined) throw new UsageError('--name is missing');
  if (version === undefined) throw new UsageError('--version is missing');
  const recipe: PackageRecipe = {
    symbolicName: name,
    version,
    fixPack: more['fix-pack'],
    requiredStorageBytes: more['required-storage'],
    bundleFolders: words,
    keptBundles: kept.map(parseKept),
    resourceFolder: resources,
    modified: parseSourceDate(process.env['SOURCE_DATE_EPOCH']),
  };
  const content = await makePackage(recipe);
  const { contents, sha256 } = await inspectBytes(content, [], terminal);
  const file = output ?? `${contents.symbolicName}_${contents.version}.dp`;
  await writeFileAtomically(file, content, 0o644);
  show({ file, sha256, sizeBytes: content.length }, () => `${file}\n`);
}

/**
 * Inspects an unwritten package like a gateway.
 *
 * @throws {DeploymentError} if a gateway would refuse it
 */
export async function inspectBytes(
  content: Uint8Array,
  trustedCertificates: readonly string[],
  { stopSignal: signal }: Terminal,
): Promise<UnpackedPackage> {
  const directory = await mkdtemp(path.join(tmpdir(), 'penstock-package-'));
  try {
    const file = path.join(directory, 'new.dp');
    await writeFile(file, content);
    return await inspectPackage({ file, trustedCertificates, clock: systemClock, signal });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function parseKept(text: string): KeptBundle {
  const [symbolicName = '', version = '', ...more] = text.split('=');
  if (symbolicName === '' || version === '' || more.length > 0) {
    throw new UsageError(`--kept ${text}: expected NAME=VERSION`);
  }
  return { symbolicName, version };
}
