import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Bundle, BundleControl } from '../bundle/bundle.ts';
import type { BundleState } from '../../interface/software/bundle.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { StoredBundle } from '../package/archive/stored-entry.ts';
import type { PackageStore } from './package-store.ts';

/** Time limit for the bundles of a package to start and keep running; `BundleControl` usually decides sooner. */
export const START_LIMIT_MS = 90_000;

interface PackageBundlesOptions {
  readonly store: PackageStore;
  readonly control: BundleControl;
  /** Returns true if files of a bundle are damaged; such a bundle is not started. */
  readonly isDamaged: (record: InstalledPackage, bundle: StoredBundle) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts and stops the bundles of packages. */
export class PackageBundles {
  readonly #options: PackageBundlesOptions;

  constructor(options: PackageBundlesOptions) {
    this.#options = options;
  }

  /** Returns the state of a bundle, for lists: RESOLVED without `Penstock-Main`, FAILED with damaged files. */
  stateOf(record: InstalledPackage, bundle: StoredBundle): BundleState {
    const { symbolicName, version, main } = bundle;
    if (main === undefined) return 'RESOLVED';
    if (this.#options.isDamaged(record, bundle)) return 'FAILED';
    return this.#options.control.stateOf({ name: symbolicName, version });
  }

  /**
   * Starts every startable bundle of a package, and waits until all have passed their probation.
   *
   * @param signal ends the wait without an error; the bundles keep running
   * @throws {DeploymentError} `OTHER_ERROR` with the reason if one does not keep running; `TIMEOUT`
   */
  async startAndAwait(record: InstalledPackage, signal: AbortSignal): Promise<void> {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve();
    const cancel = this.#options.clock.schedule(START_LIMIT_MS, () => {
      const detail = `the bundles of ${record.name} did not start within ${START_LIMIT_MS / 1000} s`;
      reject(new DeploymentError('TIMEOUT', detail));
    });
    try {
      const starts = this.#listStartable(record).map((bundle) => this.#start(bundle));
      await Promise.race([ended, Promise.all(starts)]);
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Starts every startable bundle of a package, without waiting; a failure is logged. */
  startInBackground(record: InstalledPackage): void {
    for (const bundle of this.#listStartable(record)) this.#startInBackground(record, bundle);
  }

  /**
   * Starts one bundle of a package if it can start; no effect while it runs. A failure is logged.
   *
   * @returns false if it cannot start: it has no program, or damaged files
   */
  startOne(record: InstalledPackage, { symbolicName, version }: StoredBundle): boolean {
    const bundle = this.#listStartable(record).find(
      ({ id }) => id.name === symbolicName && id.version === version,
    );
    if (bundle !== undefined) this.#startInBackground(record, bundle);
    return bundle !== undefined;
  }

  /** Stops one bundle; resolves when it does not run. */
  async stopOne({ symbolicName, version }: StoredBundle): Promise<void> {
    await this.#options.control.stop({ name: symbolicName, version });
  }

  /** Stops every bundle of a package; resolves when none runs. */
  async stop(record: InstalledPackage): Promise<void> {
    const ids = record.bundles.map(({ symbolicName, version }) => ({ name: symbolicName, version }));
    await Promise.all(ids.map((id) => this.#options.control.stop(id)));
  }

  #startInBackground(record: InstalledPackage, bundle: Bundle): void {
    this.#start(bundle).catch((error: unknown) => {
      const { name, version } = bundle.id;
      const fields = { package: record.name, bundle: name, version, error };
      this.#options.logger.error('bundle.startFailed', fields);
    });
  }

  #listStartable(record: InstalledPackage): readonly Bundle[] {
    return record.bundles
      .filter((bundle) => bundle.main !== undefined && !this.#options.isDamaged(record, bundle))
      .map((bundle) => this.#toBundle(record, bundle));
  }

  #toBundle(record: InstalledPackage, bundle: StoredBundle): Bundle {
    const { store } = this.#options;
    return {
      id: { name: bundle.symbolicName, version: bundle.version },
      directory: store.contentFile(record, bundle.location),
      dataDirectory: store.dataDirectory(bundle.symbolicName),
      main: bundle.main,
      permissions: bundle.permissions,
      identities: bundle.identities,
      settings: bundle.settings,
      memoryMib: bundle.memoryMib,
    };
  }

  async #start(bundle: Bundle): Promise<void> {
    try {
      await this.#options.control.start(bundle);
    } catch (cause) {
      const detail = `the bundle ${bundle.id.name} ${bundle.id.version} does not stay up: ${messageOf(cause)}`;
      throw new DeploymentError('OTHER_ERROR', detail, cause);
    }
  }
}
