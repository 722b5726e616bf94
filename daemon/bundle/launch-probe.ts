import { execFile } from 'node:child_process';

import { DIE_WITH_PARENT, UNSHARE_NETWORK } from './launch-command.ts';
import type { LaunchFeatures } from './launch-command.ts';

const LIMIT_MS = 5000;

/** Detects which kernel features the machine and the systemd unit allow for the processes of bundles. */
export async function probeLaunchFeatures(): Promise<LaunchFeatures> {
  const [hasNamespaces, hasParentDeath] = await Promise.all([
    canRun(UNSHARE_NETWORK),
    canRun(DIE_WITH_PARENT),
  ]);
  return { hasNamespaces, hasParentDeath };
}

function canRun([program = '', ...given]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [...given, '/bin/true'], { env: {}, timeout: LIMIT_MS }, (error) =>
      resolve(error === null),
    );
  });
}
