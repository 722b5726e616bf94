import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';

import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { prepareDirectories } from '../bundle-directory.ts';
import { BundleError } from '../bundle-error.ts';
import type {
  BundleLauncher,
  LaunchedBundle,
  LaunchOutput,
  LaunchPaths,
  LaunchRequest,
} from './bundle-launcher.ts';
import { setWritable, RecentGroups, readResidentBytes, lowerGroupPriority } from './process-group.ts';
import { ALLOCATOR_ENVIRONMENT, buildLaunchCommand } from './launch-command.ts';
import type { LaunchFeatures } from './launch-command.ts';
import { measureDeletedFiles, measureDirectory } from '../storage/storage-usage.ts';
import type { StorageUsage } from '../storage/storage-usage.ts';

interface ChildLauncherOptions {
  /** Maximum JavaScript heap of a bundle, in MiB. */
  readonly heapMib: number;
  /** Detects the kernel features that the machine allows; called once. */
  readonly probe: () => Promise<LaunchFeatures>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Starts bundles as child processes under the account of the gateway, isolated as far as the machine allows. */
export class ChildLauncher implements BundleLauncher {
  readonly #options: ChildLauncherOptions;
  readonly #groups: RecentGroups;
  #features: Promise<LaunchFeatures> | undefined;

  constructor(options: ChildLauncherOptions) {
    this.#options = options;
    this.#groups = new RecentGroups(options.clock);
  }

  async launch({ bundle, permissions }: LaunchRequest): Promise<LaunchedBundle> {
    const { heapMib, clock } = this.#options;
    const main = await prepareDirectories(bundle);
    const features = await (this.#features ??= this.#probe());
    const command = buildLaunchCommand({ bundle, permissions, heapMib, features });
    const { directory, dataDirectory } = bundle;
    return new ChildBundle({
      command,
      paths: { directory, dataDirectory, main },
      groups: this.#groups,
      clock,
    });
  }

  // The gateway owns the data directories and removes them itself.
  async removeData(): Promise<void> {}

  async #probe(): Promise<LaunchFeatures> {
    const features = await this.#options.probe();
    const missing = [
      'own user',
      ...(features.hasNetworkNamespace ? [] : ['own network']),
      ...(features.hasProcessNamespace ? [] : ['own processes']),
      ...(features.hasParentDeath ? [] : ['end with the gateway']),
    ];
    // The sandbox of the runner closes the network in any case; the namespace enforces it in the kernel.
    this.#options.logger.info('bundle.sandboxReduced', { missing });
    return features;
  }
}

interface ChildBundleOptions {
  readonly command: readonly string[];
  readonly paths: LaunchPaths;
  readonly groups: RecentGroups;
  readonly clock: Clock;
}

/** A child process, its process group, and its end. */
class ChildBundle implements LaunchedBundle {
  readonly paths: LaunchPaths;
  readonly link: Duplex;
  readonly output: readonly LaunchOutput[];
  readonly ended: Promise<BundleError>;
  readonly #child: ChildProcess;
  readonly #groups: RecentGroups;
  #isGone = false;

  constructor({ command, paths, groups, clock }: ChildBundleOptions) {
    const [program = '', ...given] = command;
    this.paths = paths;
    this.#groups = groups;
    this.#child = spawn(program, given, {
      cwd: paths.directory,
      env: ALLOCATOR_ENVIRONMENT,
      // Its own process group, so that signals reach its children as well.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [, stdout, stderr, link] = this.#child.stdio;
    this.link = link as Duplex;
    this.output = [
      { stream: stdout as Readable, level: 'info' },
      { stream: stderr as Readable, level: 'warn' },
    ];
    const ending = new AbortController();
    this.ended = this.#awaitEnd().finally(() => ending.abort());
    if (this.pid !== undefined) void lowerGroupPriority(this.pid, clock, ending.signal);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  readResidentBytes(): Promise<number | undefined> {
    return readResidentBytes(this.#listMembers());
  }

  async measureStorage(maximumEntries: number): Promise<StorageUsage> {
    const kept = await measureDirectory(this.paths.dataDirectory, maximumEntries);
    const deletedBytes = await measureDeletedFiles(this.#listMembers());
    return { ...kept, bytes: kept.bytes + deletedBytes };
  }

  async setWritable(isWritable: boolean): Promise<void> {
    if (this.pid !== undefined) await setWritable(this.pid, isWritable);
  }

  terminate(): void {
    this.#signal('SIGTERM');
    // The first process of a PID namespace ignores signals that it does not handle (pid_namespaces(7)); the runner ends with its link.
    this.link.end();
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  async #awaitEnd(): Promise<BundleError> {
    const reason = await new Promise<string>((resolve) => {
      this.#child.once('exit', (status, signal) => {
        resolve(signal === null ? `the bundle ended with status ${status}` : `the bundle ended by ${signal}`);
      });
      this.#child.once('error', (error) => resolve(`the bundle cannot be started: ${error.message}`));
    });
    // Orphaned child processes.
    this.#signal('SIGKILL');
    this.#isGone = true;
    return new BundleError('BUNDLE_ENDED', reason);
  }

  #listMembers(): readonly number[] {
    return this.pid === undefined ? [] : this.#groups.list(this.pid);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isGone || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The group has no process left.
    }
  }
}
