import path from 'node:path';

import { startGateway } from '../support/gateway.ts';
import type { GatewayOptions, RunningGateway } from '../support/gateway.ts';
import { readLaunch } from './launcher.ts';
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
 * for the compiler in the runtime), with the options and variables of its launcher; compiled code and long
 * texts are kept for the next start, as the unit has it.
 *
 * @param root folder of the build
 * @param sources folder of the sources that it was built of
 */
export function locateProgram(root: string, sources = root): Program {
  const { options, variables } = readLaunch(sources);
  return {
    daemon: [...options, path.join(root, BUILT_DAEMON)],
    command: ['--disable-sigusr1', path.join(root, BUILT_COMMAND)],
    environment: {
      ...variables,
      NODE_COMPILE_CACHE: path.join(root, 'build/compile-cache'),
      CACHE_DIRECTORY: path.join(root, 'build/cache'),
    },
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
