import { execFile } from 'node:child_process';

import { FEATURE_PROBES } from './launch-command.ts';
import type { LaunchFeatures } from './launch-command.ts';

const LIMIT_MS = 5000;

/** Detects which kernel features the machine allows for the processes of bundles. */
export async function probeLaunchFeatures(): Promise<LaunchFeatures> {
  const [hasNetworkNamespace, hasProcessNamespace, hasParentDeath] = await Promise.all([
    canRun(FEATURE_PROBES.hasNetworkNamespace),
    canRun(FEATURE_PROBES.hasProcessNamespace),
    canRun(FEATURE_PROBES.hasParentDeath),
  ]);
  return { hasNetworkNamespace, hasProcessNamespace, hasParentDeath };
}

function canRun([program = '', ...given]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [...given, '/bin/true'], { env: {}, timeout: LIMIT_MS }, (error) =>
      resolve(error === null),
    );
  });
}
