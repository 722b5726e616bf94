import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Debian's own interpreter, also where another one is in the path: Debian's modules belong to it. */
export const PYTHON = '/usr/bin/python3';

/** The command that makes the virtual environment of the tests. */
export const MAKE_ENVIRONMENT = 'npm run test:python';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where virtual environments lie; each has a name that begins with `python-`. */
export const CACHE = path.join(ROOT, 'node_modules/.cache');

/** The packages of the environment with their versions and hashes. */
export const REQUIREMENTS = path.join(ROOT, 'test/requirements.txt');

/** Returns the file next to another one with programs that are built from source; undefined without one. */
export function findSources(requirements: string): string | undefined {
  const file = requirements.replace(/\.txt$/, '-source.txt');
  return file !== requirements && existsSync(file) ? file : undefined;
}

/**
 * Returns the folder of the virtual environment with the packages of a file; its name depends on their versions and on
 * the interpreter, so that an environment which exists is never out of date.
 */
export function locateEnvironment(cache: string = CACHE, requirements: string = REQUIREMENTS): string {
  const hash = createHash('sha256').update(readFileSync(requirements)).update(nameInterpreter());
  const sources = findSources(requirements);
  if (sources !== undefined) hash.update(readFileSync(sources));
  return path.join(cache, `python-${hash.digest('hex').slice(0, 12)}`);
}

/** Returns the interpreter of an environment. */
export function interpreterOf(environment: string): string {
  return path.join(environment, 'bin/python');
}

/** Returns the file that an environment has once all its packages are installed. */
export function completionOf(environment: string): string {
  return path.join(environment, 'complete');
}

function nameInterpreter(): string {
  try {
    return realpathSync(PYTHON);
  } catch {
    return '';
  }
}
