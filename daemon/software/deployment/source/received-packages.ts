import { rm } from 'node:fs/promises';

import type { RandomSource } from '../../../base/random.ts';
import type { DeploymentSettings } from '../deployment-settings.ts';
import type { PackageStore } from '../package-store.ts';
import { writeSpoolFile } from './spool-file.ts';

/** Stored package that a client sent. */
export interface ReceivedPackage {
  readonly id: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Packages that clients send, from the first byte until an operation uses them or they are discarded. */
export class ReceivedPackages {
  readonly #store: PackageStore;
  readonly #settings: () => DeploymentSettings;
  readonly #random: RandomSource;
  readonly #ids = new Set<string>();

  constructor(store: PackageStore, settings: () => DeploymentSettings, random: RandomSource) {
    this.#store = store;
    this.#settings = settings;
    this.#random = random;
  }

  /** Returns the ids of the stored packages that belong to no operation yet. */
  listIds(): readonly string[] {
    return [...this.#ids];
  }

  /**
   * Writes a package to the disk; the file is synced when this resolves.
   *
   * @throws {PackageTooLarge} as soon as more bytes arrive than the settings allow
   */
  async receive(chunks: AsyncIterable<Uint8Array>): Promise<ReceivedPackage> {
    const id = this.#random.uuid();
    const { maximumPackageBytes } = this.#settings();
    this.#ids.add(id);
    try {
      const { sha256 } = await writeSpoolFile(chunks, this.#store.spoolFile(id), maximumPackageBytes);
      return { id, sha256 };
    } catch (error) {
      this.#ids.delete(id);
      throw error;
    }
  }

  /** Hands a package over to the operation of the same id, which removes the file when it ends. */
  handOver({ id }: ReceivedPackage): void {
    this.#ids.delete(id);
  }

  /** Removes a package that will not be installed. */
  async discard({ id }: ReceivedPackage): Promise<void> {
    await rm(this.#store.spoolFile(id), { force: true });
    this.#ids.delete(id);
  }
}
