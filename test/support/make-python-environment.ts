import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  CACHE,
  completionOf,
  findSources,
  interpreterOf,
  locateEnvironment,
  REQUIREMENTS,
} from './python-environment.ts';
import { describeMissing, programOf } from './tools.ts';

const INSTALL_LIMIT_MS = 300_000;

/**
 * Makes the virtual environment of the tests unless it is there, and removes those of former requirements.
 *
 * @returns why there is none; undefined when it is there
 */
export function makeEnvironment(
  cache: string = CACHE,
  requirements: string = REQUIREMENTS,
): string | undefined {
  const environment = locateEnvironment(cache, requirements);
  if (existsSync(completionOf(environment))) return undefined;
  const missing = describeMissing(['venv']);
  if (missing !== undefined) return missing;
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache).filter((each) => each.startsWith('python-'))) {
    rmSync(path.join(cache, name), { recursive: true, force: true });
  }
  const log = path.join(cache, 'python.log');
  const output = openSync(log, 'w');
  try {
    for (const command of listCommands(environment, requirements)) {
      const { status } = spawnSync(command[0], command[1], {
        stdio: ['ignore', output, output],
        timeout: INSTALL_LIMIT_MS,
      });
      if (status !== 0)
        return `the packages of ${path.basename(requirements)} could not be installed, see ${log}`;
    }
  } finally {
    closeSync(output);
  }
  writeFileSync(completionOf(environment), '');
  return undefined;
}

function listCommands(
  environment: string,
  requirements: string,
): readonly (readonly [program: string, parameters: readonly string[]])[] {
  const install = ['-m', 'pip', 'install', '--require-hashes', '--retries=1', '--timeout=15'];
  const sources = findSources(requirements);
  // Built by what is installed before, whose hashes are known; a download for the build would have none.
  const build = ['--no-deps', '--no-build-isolation', '--no-binary=:all:'];
  return [
    [programOf('venv'), ['-m', 'venv', environment]],
    [interpreterOf(environment), [...install, '--only-binary=:all:', '-r', requirements]],
    ...(sources === undefined
      ? []
      : [[interpreterOf(environment), [...install, ...build, '-r', sources]] as const]),
  ];
}

if (import.meta.main) {
  const obstacle = makeEnvironment();
  if (obstacle !== undefined)
    console.log(`Tests with asyncua, pymodbus 3.16, schemathesis and sslyze are skipped: ${obstacle}`);
}
