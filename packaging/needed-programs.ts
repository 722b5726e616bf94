import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

import type { Architecture } from './architecture.ts';

/** A program and the Debian package that contains it. */
type Needed = readonly [program: string, debianPackage: string];

/**
 * Describes the programs that are missing for a build of packages, in one line with the command that installs them.
 *
 * @param environment its `PATH` is searched; with `SOURCE_DATE_EPOCH` the build needs no git
 * @returns undefined if nothing is missing
 */
export function describeMissingPrograms(
  architectures: readonly Architecture[],
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const needed: readonly Needed[] = [
    ...architectures.map(({ stripCommand, stripPackage }) => [stripCommand, stripPackage] as const),
    ['dpkg-deb', 'dpkg'],
    ['npm', 'npm'],
    ...(environment['SOURCE_DATE_EPOCH'] === undefined ? [['git', 'git'] as const] : []),
  ];
  const folders = (environment['PATH'] ?? '').split(':');
  const missing = needed.filter(([program]) => !folders.some((folder) => isProgram(folder, program)));
  if (missing.length === 0) return undefined;
  const names = missing.map(([program]) => program).join(', ');
  const packages = [...new Set(missing.map(([, debianPackage]) => debianPackage))].join(' ');
  return `missing: ${names}; apt-get install ${packages}`;
}

/**
 * Describes the reason why the installed npm cannot install modules for these architectures.
 *
 * @returns undefined if it can
 */
export function describeNarrowNpm(architectures: readonly Architecture[]): string | undefined {
  const foreign = architectures.filter(({ node }) => node !== process.arch).map(({ debian }) => debian);
  if (foreign.length === 0) return undefined;
  const [version, setting] = [['--version'], ['config', 'get', 'cpu']].map((words) =>
    execFileSync('npm', words, { encoding: 'utf8' }).trim(),
  );
  // npm prints null for an unset setting that it supports.
  if (setting !== 'undefined') return undefined;
  return `npm ${version ?? ''} installs no modules for ${foreign.join(', ')}; use npm 10.1 or later, or --arch for this machine`;
}

function isProgram(folder: string, name: string): boolean {
  try {
    accessSync(path.resolve(folder, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
