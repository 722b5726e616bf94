import { execFile } from 'node:child_process';

import { UNSHARE_NETWORK } from './launch-command.ts';

const LIMIT_MS = 5000;

/** Finds out whether this machine, and the unit of the service, let the gateway make network namespaces. */
export function probeNetworkNamespace(): Promise<boolean> {
  const [program, ...given] = UNSHARE_NETWORK;
  return new Promise((resolve) => {
    execFile(program, [...given, '/bin/true'], { env: {}, timeout: LIMIT_MS }, (error) =>
      resolve(error === null),
    );
  });
}
