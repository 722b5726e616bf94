import path from 'node:path';

import type { Architecture } from './architecture.ts';

// Nothing of these is loaded when the daemon runs. Licences and package.json stay.
const NEEDLESS_FOLDERS: ReadonlySet<string> = new Set([
  '.github',
  '.vscode',
  '__tests__',
  'benchmark',
  'benchmarks',
  'coverage',
  'doc',
  'docs',
  'example',
  'examples',
  'man',
  'test',
  'tests',
]);
const NEEDLESS_SUFFIXES = [
  '.d.cts',
  '.d.mts',
  '.d.ts',
  '.map',
  '.md',
  '.markdown',
  '.ts',
  '.tsbuildinfo',
  '.c',
  '.cc',
  '.cpp',
  '.gyp',
  '.gypi',
  '.h',
];
const NEEDLESS_NAMES: ReadonlySet<string> = new Set([
  'binding.gyp',
  'check-napi.js',
  'package-support.json',
  'tsconfig.json',
]);
const LICENCE = /^(licen[cs]e|copying|notice|copyright)/i;
const PREBUILD = /(?:^|\/)prebuilds\/([^/]+)\/([^/]+)$/;

/**
 * Returns true if a file of a production module belongs into a package.
 *
 * @param file path below `node_modules`, with slashes
 */
export function isNeeded(file: string, { node }: Pick<Architecture, 'node'>): boolean {
  const name = path.posix.basename(file);
  if (LICENCE.test(name)) return true;
  const prebuild = PREBUILD.exec(file);
  if (prebuild !== null) {
    // One native file for this machine: glibc's, as Debian's C library is.
    return prebuild[1] === `linux-${node}` && !name.includes('musl');
  }
  // Hidden files are settings of tools.
  if (
    name.startsWith('.') ||
    NEEDLESS_NAMES.has(name) ||
    NEEDLESS_SUFFIXES.some((suffix) => name.endsWith(suffix))
  )
    return false;
  return !NEEDLESS_FOLDERS.has(topFolder(file));
}

// Of the module itself: deeper down, and as the name of a module, such a name means something else.
function topFolder(file: string): string {
  const inner = file.split('node_modules/').at(-1) ?? '';
  const [folder = '', ...rest] = inner.split('/').slice(inner.startsWith('@') ? 2 : 1);
  return rest.length > 0 ? folder : '';
}
