import type { KnownPlant } from '../plant/asset/plant-config.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { ManagedConfiguration, ManagedDocument } from './managed-document.ts';
import type { SnapshotStore } from './store/snapshot-store.ts';

interface ActiveConfigurationOptions {
  readonly snapshots: Pick<SnapshotStore, 'findNewestId'>;
  readonly factories: () => readonly DriverFactory[];
}

/** The configuration in force, and what it was made from: a snapshot, by the kinds of drivers that there were. */
export class ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  #configuration: ManagedConfiguration | undefined;
  #snapshotId: number | undefined;
  #kinds: readonly DriverFactory[] = [];

  constructor(options: ActiveConfigurationOptions) {
    this.#options = options;
  }

  /** The configuration; undefined before the first. */
  get configuration(): ManagedConfiguration | undefined {
    return this.#configuration;
  }

  /**
   * Puts what the newest snapshot was found to be in force. That of the same snapshot stays the same object, so that a comparison
   * by identity detects no change.
   */
  install(configuration: ManagedConfiguration): void {
    if (this.findChecked() === undefined) this.#configuration = configuration;
    this.#snapshotId = this.#options.snapshots.findNewestId();
    this.#kinds = this.#options.factories();
  }

  /** Returns the configuration if the newest snapshot was checked for it, with the kinds of drivers of now. */
  findChecked(): ManagedConfiguration | undefined {
    const { snapshots, factories } = this.#options;
    const present = factories();
    const areKindsSame =
      present.length === this.#kinds.length && present.every((kind, index) => kind === this.#kinds[index]);
    return areKindsSame && this.#snapshotId === snapshots.findNewestId() ? this.#configuration : undefined;
  }

  /**
   * Returns what of the newest document needs no check: a change of it has what it leaves alone as the very same objects.
   *
   * @param newest document of the newest snapshot
   */
  findKnown({ assets }: ManagedDocument): KnownPlant | undefined {
    const checked = this.findChecked();
    return checked !== undefined && Array.isArray(assets) ? { assets, plant: checked.plant } : undefined;
  }
}
