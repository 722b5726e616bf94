import path from 'node:path';

import type { Bundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import type { BundlePermissions } from './bundle-permissions.ts';

interface LaunchOptions {
  readonly bundle: Pick<Bundle, 'directory' | 'dataDirectory'>;
  readonly permissions: BundlePermissions;
  /** Size of the heap of JavaScript, in MiB. */
  readonly heapMib: number;
  readonly features: LaunchFeatures;
}

/** What the kernel is asked for where the machine lets the gateway do so. */
export interface LaunchFeatures {
  /** A network namespace of its own, for a bundle without the permission `net`. */
  readonly hasNamespaces: boolean;
  /** The bundle dies with the gateway. Inside a unit of systemd, which may deny this, it does so in any case. */
  readonly hasParentDeath: boolean;
}

/** Programs of util-linux, which every Debian has, wherever the path of the service points. */
export const UNSHARE_NETWORK = ['/usr/bin/unshare', '--map-current-user', '--net', '--'] as const;

// The address space that V8 reserves counts as well, so this bounds a leak roughly; the watch over resident memory is exact.
const DATA_BYTES = 1_073_741_824;
const FILE_BYTES = 67_108_864;
const OPEN_FILES = 256;
// Of 1000: when memory runs out, the kernel takes a bundle before anything of the gateway.
const CHOOSE_FIRST = ['/usr/bin/choom', '-n', '800', '--'];
export const DIE_WITH_PARENT = ['/usr/bin/setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--'] as const;

const ROOM = import.meta.dirname;
const RUNNER = path.join(ROOM, 'runner', `runner${path.extname(import.meta.filename)}`);

/**
 * Builds the command that runs a bundle: limits of the kernel first, then Node.js under its permission model.
 *
 * Each program replaces the one before, so the process that is started becomes the bundle. Where the machine allows it, it
 * dies with the gateway (PR_SET_PDEATHSIG), gains no rights by what it executes (PR_SET_NO_NEW_PRIVS), and is, without the
 * permission `net`, in a network namespace of its own that is connected to nothing.
 *
 * @throws {BundleError} `BUNDLE_DIRECTORY_UNSAFE` when a path means more to the permission model than itself
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
    // It opens files past the permission model.
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
