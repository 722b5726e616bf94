import type { KnownPlant } from '../plant/asset/plant-config.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { ConfigurableBundle } from './bundle-section.ts';
import type { ManagedConfiguration, ManagedDocument } from './managed-document.ts';
import type { SnapshotStore } from './store/snapshot-store.ts';

interface ActiveConfigurationOptions {
  readonly snapshots: Pick<SnapshotStore, 'findNewestId'>;
  readonly factories: () => readonly DriverFactory[];
  readonly bundles?: (() => readonly ConfigurableBundle[]) | undefined;
}

/** Active configuration with its snapshot and the driver types it was checked with. */
export class ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  #configuration: ManagedConfiguration | undefined;
  #snapshotId: number | undefined;
  #types: readonly (DriverFactory | ConfigurableBundle)[] = [];

  constructor(options: ActiveConfigurationOptions) {
    this.#options = options;
  }

  /** The configuration; undefined before the first. */
  get configuration(): ManagedConfiguration | undefined {
    return this.#configuration;
  }

  /**
   * Activates the checked configuration of the newest snapshot. For the same snapshot it stays the same object, so that a
   * comparison by identity detects no change.
   */
  install(configuration: ManagedConfiguration): void {
    if (this.findChecked() === undefined) this.#configuration = configuration;
    this.#snapshotId = this.#options.snapshots.findNewestId();
    this.#types = this.#listTypes();
  }

  /** Returns the configuration if it is that of the newest snapshot, checked with the current driver types. */
  findChecked(): ManagedConfiguration | undefined {
    const { snapshots } = this.#options;
    const present = this.#listTypes();
    const areTypesSame =
      present.length === this.#types.length && present.every((type, index) => type === this.#types[index]);
    return areTypesSame && this.#snapshotId === snapshots.findNewestId() ? this.#configuration : undefined;
  }

  /**
   * Returns the checked parts of the newest document. A change keeps untouched parts as the same objects, which need no check.
   *
   * @param newest document of the newest snapshot
   */
  findKnown({ assets }: ManagedDocument): KnownPlant | undefined {
    const checked = this.findChecked();
    return checked !== undefined && Array.isArray(assets) ? { assets, plant: checked.plant } : undefined;
  }

  #listTypes(): readonly (DriverFactory | ConfigurableBundle)[] {
    const { factories, bundles } = this.#options;
    return [...factories(), ...(bundles?.() ?? [])];
  }
}
