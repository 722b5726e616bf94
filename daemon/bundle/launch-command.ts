import path from 'node:path';

import type { Bundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import type { BundlePermissions } from './bundle-permissions.ts';

interface LaunchOptions {
  readonly bundle: Pick<Bundle, 'directory' | 'dataDirectory'>;
  readonly permissions: BundlePermissions;
  /** Maximum JavaScript heap, in MiB. */
  readonly heapMib: number;
  readonly features: LaunchFeatures;
}

/** Kernel features that the machine allows the gateway to use. */
export interface LaunchFeatures {
  /** A private network namespace, for a bundle without the permission `net`. */
  readonly hasNamespaces: boolean;
  /** The kernel ends the bundle with the gateway. A systemd unit may deny this, but then ends the bundle itself. */
  readonly hasParentDeath: boolean;
}

/** Program of util-linux, by absolute path: every Debian has it, whatever the PATH of the service. */
export const UNSHARE_NETWORK = ['/usr/bin/unshare', '--map-current-user', '--net', '--'] as const;

// A rough limit, since the address space that V8 reserves counts as well; the check of resident memory is exact.
const DATA_BYTES = 1_073_741_824;
const FILE_BYTES = 67_108_864;
const OPEN_FILES = 256;
// Out of 1000: when memory runs out, the kernel kills a bundle before the gateway.
const CHOOSE_FIRST = ['/usr/bin/choom', '-n', '800', '--'];
export const DIE_WITH_PARENT = ['/usr/bin/setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--'] as const;

const ROOM = import.meta.dirname;
const RUNNER = path.join(ROOM, 'runner', `runner${path.extname(import.meta.filename)}`);

/**
 * Builds the command that runs a bundle: kernel limits first, then Node.js under its permission model.
 *
 * Each program replaces the previous one, so the spawned process becomes the bundle. Where the machine allows it, the process
 * dies with the gateway (PR_SET_PDEATHSIG), gains no rights from programs that it executes (PR_SET_NO_NEW_PRIVS), and, without
 * the permission `net`, has its own network namespace without any connection.
 *
 * @throws {BundleError} `BUNDLE_DIRECTORY_UNSAFE` when a path has a character that the permission model interprets
 */
export function buildLaunchCommand({
  bundle,
  permissions,
  heapMib,
  features: { hasNamespaces, hasParentDeath },
}: LaunchOptions): readonly string[] {
  const { net, childProcess, devices } = permissions;
  const { directory, dataDirectory } = bundle;
  const readable = [ROOM, path.join(ROOM, '..', 'base'), directory, dataDirectory].map(toTree);
  const limits = [
    `--data=${DATA_BYTES}`,
    `--fsize=${FILE_BYTES}`,
    `--nofile=${OPEN_FILES}`,
    '--core=0',
    '--',
  ];
  return [
    ...CHOOSE_FIRST,
    '/usr/bin/prlimit',
    ...limits,
    ...(hasNamespaces && !net ? UNSHARE_NETWORK : []),
    ...(hasParentDeath ? DIE_WITH_PARENT : []),
    process.execPath,
    '--permission',
    ...readable.map((tree) => `--allow-fs-read=${tree}`),
    `--allow-fs-write=${toTree(dataDirectory)}`,
    ...devices.flatMap((device) => [`--allow-fs-read=${device}`, `--allow-fs-write=${device}`]),
    ...(childProcess ? ['--allow-child-process'] : []),
    // SQLite opens files without regard to the permission model.
    '--no-experimental-sqlite',
    `--max-old-space-size=${heapMib}`,
    '--max-semi-space-size=2',
    RUNNER,
    ...(net ? ['net'] : []),
  ];
}

function toTree(directory: string): string {
  if (!path.isAbsolute(directory) || /[*,]/.test(directory)) {
    throw new BundleError(
      'BUNDLE_DIRECTORY_UNSAFE',
      'the path of a bundle must be absolute and without * and ,',
    );
  }
  return `${path.normalize(directory)}/*`;
}
