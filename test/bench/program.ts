import { readFileSync } from 'node:fs';
import path from 'node:path';

import { startGateway } from '../support/gateway.ts';
import type { GatewayOptions, RunningGateway } from '../support/gateway.ts';
import type { Owner } from '../support/temporary-directory.ts';

/** Where a build puts the programs, below the folder of the sources. */
export const BUILT_PROGRAM = 'build/program';
/** Where the daemon is in there. */
export const BUILT_DAEMON = `${BUILT_PROGRAM}/daemon/main.js`;
const BUILT_COMMAND = `${BUILT_PROGRAM}/daemon/cli/main.js`;

/** A built version of the gateway. */
export interface Program {
  /** Parameters of the runtime for the daemon. */
  readonly daemon: readonly string[];
  /** Parameters of the runtime for `penstock`. */
  readonly command: readonly string[];
  /** Variables that both are started with. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The owner of gateways of one version. */
export interface ProgramOwner extends Owner {
  readonly program: Program;
}

/**
 * Returns the gateway that was built of sources, as it is installed: bundled (running the sources costs memory and time
 * for the compiler in the runtime), with the options of the npm script; compiled code is kept for the next start, as the
 * unit has it.
 *
 * @param root folder of the sources
 */
export function locateProgram(root: string): Program {
  return {
    daemon: [...readRuntimeOptions(root), path.join(root, BUILT_DAEMON)],
    command: ['--disable-sigusr1', path.join(root, BUILT_COMMAND)],
    environment: { NODE_COMPILE_CACHE: path.join(root, 'build/compile-cache') },
  };
}

/** The gateway of these sources. */
export const OWN_PROGRAM = locateProgram(path.resolve(import.meta.dirname, '../..'));

/** Starts the program of the owner and waits until it is ready. */
export function startProgram(
  owner: ProgramOwner,
  options: Omit<GatewayOptions, 'program' | 'environment'>,
): Promise<RunningGateway> {
  const { daemon, environment } = owner.program;
  return startGateway(owner, { ...options, program: daemon, environment });
}

function readRuntimeOptions(root: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly daemon: string };
  };
  return manifest.scripts.daemon.split(' ').filter((word) => word.startsWith('--'));
}
