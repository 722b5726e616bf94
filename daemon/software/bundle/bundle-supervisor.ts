import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { Semaphore } from '../../base/sharing/semaphore.ts';
import { BundleError } from './bundle-error.ts';
import type { BundleHost } from './bundle-host.ts';
import type { BundleLauncher } from './process/bundle-launcher.ts';
import { DEFAULT_LIMITS } from './bundle-limits.ts';
import type { BundleLimits } from './bundle-limits.ts';
import { BundleLines } from './bundle-lines.ts';
import type { BundleLine } from './bundle-lines.ts';
import { formatBundleId } from './bundle.ts';
import type { BundleState } from '../../interface/software/bundle.ts';
import type { Bundle, BundleControl, BundleId } from './bundle.ts';
import type { StorageLimits } from './storage/storage-decision.ts';
import { SupervisedBundle } from './supervised-bundle.ts';
import type { BundleStatus } from './supervised-bundle.ts';

interface BundleSupervisorOptions {
  /** Serves the calls and notes of the bundles. */
  readonly host: BundleHost;
  readonly launcher: BundleLauncher;
  readonly limits?: BundleLimits | undefined;
  /** Returns the current storage quota of each bundle; absent: as in `limits`. */
  readonly storageLimits?: (() => StorageLimits) | undefined;
  /** Called after each change of state of a bundle. */
  readonly onStateChange: (status: BundleStatus) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

// A small gateway has two cores; the lowest CPU priority does not limit disk usage.
const STARTS_AT_ONCE = 4;
// Running bundles, and some that failed to install or were removed.
const KEPT_LOGS = 100;

/** Runs each bundle in its own process, and restarts it when it ends. */
export class BundleSupervisor implements BundleControl {
  readonly #options: BundleSupervisorOptions;
  readonly #starts = new Semaphore({ permits: STARTS_AT_ONCE });
  readonly #bundles = new Map<string, SupervisedBundle>();
  /** By symbolic name; the first is that of the bundle that was started first. */
  readonly #lines = new Map<string, BundleLines>();
  #isClosed = false;

  constructor(options: BundleSupervisorOptions) {
    this.#options = options;
  }

  async start(bundle: Bundle): Promise<void> {
    if (this.#isClosed) throw new BundleError('BUNDLE_STOPPED', 'the gateway stops');
    const key = formatBundleId(bundle.id);
    const existing = this.#bundles.get(key);
    if (existing?.status().bundle.directory === bundle.directory) {
      await existing.start();
      return;
    }
    // The same version from another package or another installation.
    await this.stop(bundle.id);
    const { host, launcher, limits = DEFAULT_LIMITS, onStateChange, logger, clock } = this.#options;
    const { storageLimits = () => limits.storage } = this.#options;
    const supervised = new SupervisedBundle({
      bundle,
      host,
      limits,
      storageLimits,
      starts: this.#starts,
      launcher,
      onStateChange,
      lines: this.#linesOf(bundle.id.name),
      logger: logger.child({ bundle: bundle.id.name, version: bundle.id.version }),
      clock,
    });
    this.#bundles.set(key, supervised);
    await supervised.start();
  }

  async stop(id: BundleId): Promise<void> {
    const key = formatBundleId(id);
    const supervised = this.#bundles.get(key);
    await supervised?.stop();
    if (this.#bundles.get(key) === supervised) this.#bundles.delete(key);
  }

  async removeData(name: string): Promise<void> {
    await this.#options.launcher.removeData(name);
    await this.#options.host.removeData(name);
  }

  stateOf(id: BundleId): BundleState {
    return this.#bundles.get(formatBundleId(id))?.status().state ?? 'INSTALLED';
  }

  /**
   * Restarts every version of a bundle without waiting, even one whose restarts were stopped.
   *
   * @param name symbolic name
   * @throws {NotFound} `BUNDLE_UNKNOWN` when no version runs or should run
   */
  restart(name: string): void {
    const named = [...this.#bundles.values()].filter(
      (supervised) => supervised.status().bundle.id.name === name,
    );
    if (named.length === 0) {
      throw new NotFound({ code: 'BUNDLE_UNKNOWN', detail: 'no bundle of this name can run' });
    }
    for (const supervised of named) supervised.restart();
  }

  /** Follows a change of the settings of bundles. */
  revise(): void {
    for (const supervised of this.#bundles.values()) supervised.revise();
  }

  /**
   * Returns recent output and state changes of a bundle, oldest first: those of all its versions since the gateway started, even if
   * it could not be installed.
   *
   * @throws {NotFound} `BUNDLE_UNKNOWN` if it was never started
   */
  listLines(name: string, count: number): readonly BundleLine[] {
    const lines = this.#lines.get(name);
    if (lines !== undefined) return lines.list(count);
    throw new NotFound({ code: 'BUNDLE_UNKNOWN', detail: 'no bundle of this name was started' });
  }

  /** Lists the bundles that were started and not stopped, in the order of their start. */
  list(): readonly BundleStatus[] {
    return [...this.#bundles.values()].map((supervised) => supervised.status());
  }

  /** Stops every bundle, all at the same time; later starts are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#bundles.values()].map((supervised) => supervised.stop()));
  }

  #linesOf(name: string): BundleLines {
    const lines = this.#lines.get(name) ?? new BundleLines();
    this.#lines.set(name, lines);
    const running = new Set(this.list().map(({ bundle }) => bundle.id.name));
    const ended = [...this.#lines.keys()].find((each) => each !== name && !running.has(each));
    if (this.#lines.size > KEPT_LOGS && ended !== undefined) this.#lines.delete(ended);
    return lines;
  }
}
