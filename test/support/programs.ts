import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CACHE = path.join(ROOT, 'node_modules/.cache');
const PREFIX = 'program-';
// A run with other sources may still be under way.
const KEPT = 3;

const SOURCES = ['daemon', 'drivers'] as const;
/** In there, but no part of the programs. */
const CONSOLE = 'daemon/console';
const OTHER_SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'packaging/bundle-programs.ts',
  'packaging/bundled-modules.ts',
  path.relative(ROOT, import.meta.filename),
];
/** What a gateway looks for beside its programs, at the place that it has in a checkout. */
const LINKS = ['packaging/templates', 'build/console'];

/** A program of the gateway, by its place in the sources. */
export type ProgramName = 'daemon/main' | 'daemon/cli/main';

let programs: string | undefined;

/**
 * Returns the file of a program, bundled from the sources as they are now: it starts in a third of the time that the
 * sources take. The first test that asks after a change has the programs built, others wait for it meanwhile.
 *
 * With `FROM_SOURCES=1` in the environment it returns the source of the program, whose traces name lines of the sources.
 */
export function findProgram(name: ProgramName): string {
  if (process.env['FROM_SOURCES'] === '1') return sourceOf(name);
  programs ??= findFolder();
  return path.join(programs, `${name}.js`);
}

/** Returns the source of a program, for tests of what only a checkout does. */
export function sourceOf(name: ProgramName): string {
  return path.join(ROOT, `${name}.ts`);
}

function findFolder(): string {
  const wanted = path.join(CACHE, `${PREFIX}${digestSources()}`);
  if (existsSync(wanted)) return wanted;
  mkdirSync(CACHE, { recursive: true });
  const command = [path.join(CACHE, 'program.lock'), process.execPath, import.meta.filename, wanted];
  const { status, stderr, error } = spawnSync('flock', command, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`the programs cannot be built: ${stderr}`);
  return wanted;
}

/** Returns what names the programs that a checkout makes: another text after any change of what goes into them. */
export function digestSources(root: string = ROOT): string {
  // The links lead into the checkout; copies of it may share the folder of modules.
  const hash = createHash('sha256').update(root);
  for (const name of [...SOURCES.flatMap((folder) => listFiles(root, folder)), ...OTHER_SOURCES]) {
    hash.update(`\0${name}\0`).update(readFileSync(path.join(root, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

function listFiles(root: string, directory: string): readonly string[] {
  if (directory === CONSOLE) return [];
  const entries = readdirSync(path.join(root, directory), { withFileTypes: true });
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${directory}/${entry.name}`;
      return entry.isDirectory() ? listFiles(root, name) : [name];
    });
}

/** Builds the programs into a folder, which appears once it is complete, and removes those of former sources. */
async function build(target: string): Promise<void> {
  if (existsSync(target)) return;
  const built = (name: string): number => statSync(path.join(CACHE, name)).mtimeMs;
  const former = readdirSync(CACHE)
    .filter((name) => name.startsWith(PREFIX) && statSync(path.join(CACHE, name)).isDirectory())
    .toSorted((one, other) => built(other) - built(one));
  for (const name of former.slice(KEPT - 1)) rmSync(path.join(CACHE, name), { recursive: true });
  const { bundlePrograms } = await import('../../packaging/bundle-programs.ts');
  const unfinished = `${target}.unfinished`;
  await bundlePrograms(unfinished);
  for (const link of LINKS) {
    mkdirSync(path.join(unfinished, path.dirname(link)), { recursive: true });
    symlinkSync(path.join(ROOT, link), path.join(unfinished, link));
  }
  renameSync(unfinished, target);
}

if (import.meta.main) await build(process.argv[2] ?? '');
