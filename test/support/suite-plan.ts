import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The root of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Which tests: those of `npm test`, or all of them. */
export type Selection = 'quick' | 'all';

/** How files of tests are run; every path starts at the root of the repository. */
export interface SuitePlan {
  /** The files that run in one process, for each such process. */
  readonly shared: readonly (readonly string[])[];
  /** Files that run in a process of their own. */
  readonly own: readonly string[];
}

const UNIT_FOLDERS = ['bench', 'bundles', 'console', 'daemon', 'docs', 'drivers', 'property'].map(
  (name) => `test/${name}/`,
);
const FILES_PER_PROCESS = 45;
const STARTERS = [
  'node:child_process',
  'node:worker_threads',
  'daemon/software/bundle/process/child-launcher.ts',
];
// In a line of the module itself, or in a block of it ahead of any function that is asynchronous.
const AWAIT_OUTSIDE_OF_TESTS =
  /^(?:\w+ .*)?\bawait\b|^(?:for|if|switch|try|while)\b.*\n(?:(?!\}|.*\basync\b).*\n)*?(?!\}|.*\basync\b).*\bawait\b/m;
const IMPORT = /^(?:import|export)\b(?!\s+type\b)[^;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'/gm;

/**
 * Plans how tests are run. Units share a few processes with others of their folder, which saves the start of a process for each,
 * unless they take long or `test/own-process.txt` names them.
 */
export function planSuite(selection: Selection): SuitePlan {
  const long = new Set(readFileList('test/long-tests.txt'));
  const named = new Set(readFileList('test/own-process.txt'));
  const files = globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((file) => selection === 'all' || !long.has(file))
    .toSorted();
  const units = files.filter((file) => !long.has(file) && !named.has(file) && isUnit(file));
  const count = Math.ceil(units.length / FILES_PER_PROCESS);
  const size = Math.ceil(units.length / count);
  return {
    shared: Array.from({ length: count }, (_, index) => units.slice(index * size, (index + 1) * size)),
    own: files.filter((file) => !units.includes(file)),
  };
}

/** Returns the lines of a list of files that are no comments. */
export function readFileList(file: string): readonly string[] {
  return read(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Whether a file is in a folder of units, and its tests start no process, and it awaits nothing outside of them. */
export function isUnit(file: string): boolean {
  if (!UNIT_FOLDERS.some((folder) => file.startsWith(folder))) return false;
  if (waitsOutsideOfTests(read(file))) return false;
  const imported = new Set<string>();
  collectImports(file, imported);
  return !STARTERS.some((name) => imported.has(name));
}

/** Whether the module of a text waits itself: it cannot be loaded at once. */
export function waitsOutsideOfTests(text: string): boolean {
  return AWAIT_OUTSIDE_OF_TESTS.test(text);
}

/** Collects what a file of tests imports, also by other files below `test`. */
function collectImports(file: string, imported: Set<string>): void {
  for (const [, named, bare] of read(file).matchAll(IMPORT)) {
    const name = named ?? bare ?? '';
    const target = name.startsWith('.') ? path.join(path.dirname(file), name) : name;
    if (imported.has(target)) continue;
    imported.add(target);
    if (target.startsWith('test/') && target.endsWith('.ts')) collectImports(target, imported);
  }
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
