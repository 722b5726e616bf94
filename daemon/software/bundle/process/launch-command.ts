import { execFile } from 'node:child_process';
import path from 'node:path';

import type { Bundle } from '../bundle.ts';
import { BundleError } from '../bundle-error.ts';
import type { BundlePermissions } from '../bundle-permissions.ts';

const PROBE_LIMIT_MS = 5000;

interface LaunchOptions {
  readonly bundle: Pick<Bundle, 'directory' | 'dataDirectory' | 'memoryMib'>;
  readonly permissions: BundlePermissions;
  /** Maximum JavaScript heap of a bundle without `Penstock-Memory`, in MiB. */
  readonly heapMib: number;
  readonly features: LaunchFeatures;
}

/** Kernel features that the machine allows the gateway to use. */
export interface LaunchFeatures {
  /** A private network namespace, for a bundle without the permission `net`. */
  readonly hasNetworkNamespace: boolean;
  /** A private PID namespace, in which the bundle sees, signals and traces no process but its own. */
  readonly hasProcessNamespace: boolean;
  /** The kernel ends the bundle with the gateway. A systemd unit may deny this, but then ends the bundle itself. */
  readonly hasParentDeath: boolean;
}

// Programs of Debian's essential packages, by absolute path: independent of the PATH of the service.
const UNSHARE = ['/usr/bin/unshare', '--map-current-user'] as const;
const OWN_NETWORK = ['--net'] as const;
const OWN_PROCESSES = ['--pid', '--fork', '--kill-child', '--mount-proc'] as const;
const LOWEST_PRIORITY = ['/usr/bin/nice', '-n', '19'] as const;

/** Command prefixes that succeed if a feature is usable. */
const FEATURE_PROBES = {
  hasNetworkNamespace: [...UNSHARE, ...OWN_NETWORK, '--'],
  hasProcessNamespace: [...UNSHARE, ...OWN_NETWORK, ...OWN_PROCESSES, '--'],
  hasParentDeath: ['/usr/bin/setpriv', '--no-new-privs', '--pdeathsig', 'KILL', '--'],
} as const satisfies Readonly<Record<keyof LaunchFeatures, readonly string[]>>;

// A rough limit, since the address space that V8 reserves counts as well; the check of resident memory is exact.
const DATA_MIB = 832;
const DEFAULT_MEMORY_MIB = 192;
// Buffers, code and the engine take the rest of the memory.
const HEAP_SHARE = 1 / 3;
const FILE_BYTES = 67_108_864;
const OPEN_FILES = 256;
// Out of 1000: when memory runs out, the kernel kills a bundle before the gateway.
const CHOOSE_FIRST = ['/usr/bin/choom', '-n', '800', '--'];

const RUNNER = path.join(import.meta.dirname, '../runner', `runner${path.extname(import.meta.filename)}`);
// Source directories of the runner.
const PROGRAM = [path.join(import.meta.dirname, '..'), path.join(import.meta.dirname, '../../../base')];

/** Environment of a bundle, as the daemon has it: one allocation pool for all threads that returns free memory (mallopt(3)). */
export const ALLOCATOR_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * Builds the command that runs a bundle: kernel limits first, then Node.js under its permission model.
 *
 * Each program replaces the previous one, so the spawned process becomes the bundle, or the parent of one in a PID namespace. Where
 * the machine allows it, the process dies with the gateway (PR_SET_PDEATHSIG), gains no rights from programs that it executes
 * (PR_SET_NO_NEW_PRIVS), has its own PID namespace, and, without the permission `net`, its own network namespace without any
 * connection.
 *
 * @throws {BundleError} `BUNDLE_DIRECTORY_UNSAFE` when a path has a character that the permission model interprets
 */
export function buildLaunchCommand({
  bundle,
  permissions,
  heapMib,
  features,
}: LaunchOptions): readonly string[] {
  const { net, childProcess, devices } = permissions;
  const { directory, dataDirectory, memoryMib } = bundle;
  const readable = [...PROGRAM, directory, dataDirectory].map(toTree);
  const limits = [
    `--data=${(DATA_MIB + (memoryMib ?? DEFAULT_MEMORY_MIB)) * 1_048_576}`,
    `--fsize=${FILE_BYTES}`,
    `--nofile=${OPEN_FILES}`,
    '--core=0',
    '--',
  ];
  return [
    ...LOWEST_PRIORITY,
    ...CHOOSE_FIRST,
    '/usr/bin/prlimit',
    ...limits,
    ...(features.hasParentDeath ? FEATURE_PROBES.hasParentDeath : []),
    ...unshare(features, net),
    process.execPath,
    '--permission',
    ...readable.map((tree) => `--allow-fs-read=${tree}`),
    `--allow-fs-write=${toTree(dataDirectory)}`,
    ...devices.flatMap((device) => [`--allow-fs-read=${device}`, `--allow-fs-write=${device}`]),
    // The warning repeats what the manifest requests.
    ...(childProcess ? ['--allow-child-process', '--disable-warning=PERM0002'] : []),
    // SQLite opens files without regard to the permission model.
    '--no-experimental-sqlite',
    '--disable-sigusr1',
    `--max-old-space-size=${memoryMib === undefined ? heapMib : Math.floor(memoryMib * HEAP_SHARE)}`,
    '--max-semi-space-size=2',
    // Most values live until they are sent. Pretenured, they would fill the old generation, which only full collections free.
    '--no-allocation-site-pretenuring',
    RUNNER,
    ...(net ? ['net'] : []),
    ...(childProcess ? ['child-process'] : []),
  ];
}

function unshare(
  { hasNetworkNamespace, hasProcessNamespace }: LaunchFeatures,
  net: boolean,
): readonly string[] {
  const namespaces = [
    ...(hasNetworkNamespace && !net ? OWN_NETWORK : []),
    ...(hasProcessNamespace ? OWN_PROCESSES : []),
  ];
  return namespaces.length === 0 ? [] : [...UNSHARE, ...namespaces, '--'];
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
    execFile(program, [...given, '/bin/true'], { env: {}, timeout: PROBE_LIMIT_MS }, (error) =>
      resolve(error === null),
    );
  });
}
