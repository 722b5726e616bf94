import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { startProgram, BUILT_DAEMON, locateProgram } from './program.ts';
import type { Program, ProgramOwner } from './program.ts';
import type { Owner } from '../support/temporary-directory.ts';

const runFile = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const OUTPUT_BYTES = 64 * 2 ** 20;
// A start takes a second; one that hangs is not waited for.
const START_TIMEOUT_MS = 60_000;
const SHOWN_LINES = 15;

/** Another version could not be had; the message names the commit and what failed. */
export class CheckoutError extends Error {}

/** Returns the whole hash of a commit, undefined when there is none of this name. */
export function findCommit(name: string, root = ROOT): string | undefined {
  try {
    const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    return execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/**
 * Builds a commit in a temporary directory by its own `npm run build`. The modules are those of these sources, by hard
 * links, unless its lock file differs.
 *
 * @param owner removes the directory
 * @param root folder of the sources, in a repository that has the commit
 * @throws {CheckoutError} when it cannot be built, or does not have its program where these sources have it
 */
export async function buildCommit(owner: Owner, commit: string, root = ROOT): Promise<Program> {
  const stopping = new AbortController();
  // Beside our own build, as hard links need the same file system.
  mkdirSync(path.join(root, 'build'), { recursive: true });
  const directory = mkdtempSync(path.join(root, 'build/against-'));
  let step: Promise<unknown> = Promise.resolve();
  owner.after(async () => {
    stopping.abort();
    await step.catch(() => undefined);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const run = async (
    what: string,
    program: string,
    words: readonly string[],
    cwd = directory,
  ): Promise<void> => {
    const options = { cwd, maxBuffer: OUTPUT_BYTES, signal: stopping.signal };
    step = runFile(program, words, options);
    try {
      await step;
    } catch (error) {
      if (stopping.signal.aborted) throw error;
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      const output = `${stdout}${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
      throw new CheckoutError(`${commit}: ${what} failed\n${output}`, { cause: error });
    }
  };
  const archive = `${directory}/sources.tar`;
  await run('git archive', 'git', ['archive', '--format=tar', '--output', archive, commit], root);
  await run('unpacking the sources', 'tar', ['-xf', archive]);
  rmSync(archive);
  if (isSameFile('package-lock.json', root, directory)) await linkModules(run, root, directory);
  else await run('npm ci', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  await run('npm run build', 'npm', ['run', 'build']);
  if (!existsSync(path.join(directory, BUILT_DAEMON)))
    throw new CheckoutError(`${commit}: no ${BUILT_DAEMON} after npm run build; its program lies elsewhere`);
  return locateProgram(directory);
}

/**
 * Starts the program of a commit once, without a plant.
 *
 * @throws {CheckoutError} when it does not get ready
 */
export async function tryStart(t: Owner, program: Program, commit: string): Promise<void> {
  const owner: ProgramOwner = { program, after: (cleanUp) => t.after(cleanUp) };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it was not ready in time')), START_TIMEOUT_MS);
  });
  try {
    const gateway = await Promise.race([startProgram(owner, {}), late]);
    await gateway.stop();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CheckoutError(`${commit}: its program does not start: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function linkModules(
  run: (what: string, program: string, words: readonly string[]) => Promise<void>,
  root: string,
  directory: string,
): Promise<void> {
  const target = path.join(directory, 'node_modules');
  if (!existsSync(path.join(root, 'node_modules'))) return;
  mkdirSync(target);
  await run('linking the modules', 'cp', ['-al', `${root}/node_modules/.`, target]);
  // What tools keep there is written by both.
  rmSync(path.join(target, '.cache'), { recursive: true, force: true });
}

function isSameFile(name: string, ...directories: readonly string[]): boolean {
  const [first, ...others] = directories.map((directory) => readFileSync(path.join(directory, name), 'utf8'));
  return others.every((other) => other === first);
}
