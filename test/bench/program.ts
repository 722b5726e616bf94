import { readFileSync } from 'node:fs';
import path from 'node:path';

import { startGateway } from '../support/gateway.ts';
import type { GatewayOptions, RunningGateway } from '../support/gateway.ts';
import type { Owner } from '../support/temporary-directory.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Parameters of the runtime: the daemon as it is installed, bundled (running the sources costs memory and time for
 * the compiler in the runtime), with the options of the npm script.
 */
export const PROGRAM: readonly string[] = [
  ...readRuntimeOptions(),
  path.join(root, 'build/program/daemon/main.js'),
];

/** Parameters of the runtime for `penstock`, bundled likewise. */
export const COMMAND: readonly string[] = [
  '--disable-sigusr1',
  path.join(root, 'build/program/daemon/cli/main.js'),
];

/** Variables that the program is started with; as in the unit, compiled code is kept for the next start. */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: path.join(root, 'build/compile-cache'),
};

/** Starts the program and waits until it is ready. */
export function startProgram(
  owner: Owner,
  options: Omit<GatewayOptions, 'program' | 'environment'>,
): Promise<RunningGateway> {
  return startGateway(owner, { ...options, program: PROGRAM, environment: PROGRAM_ENVIRONMENT });
}

function readRuntimeOptions(): readonly string[] {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly daemon: string };
  };
  return manifest.scripts.daemon.split(' ').filter((word) => word.startsWith('--'));
}
