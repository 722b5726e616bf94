import { isPartOf } from './deployment-plan.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { StoredBundle } from '../package/archive/stored-entry.ts';
import type { InstalledPackages } from './installed-package-store.ts';

/** Installed packages and their damaged files. */
export class PackageInventory {
  /** False while a change of the files on disk is incomplete. */
  isSettled = false;
  #content: InstalledPackages = { packages: [], damaged: [] };
  // Paths of damaged files by the directory of the version, which is unique.
  readonly #damage = new Map<string, readonly string[]>();

  /** Lists the packages in the order of installation. */
  list(): readonly InstalledPackage[] {
    return this.#content.packages;
  }

  /** Lists the names of packages whose record cannot be read; they are not installed, but their files are retained. */
  listUnreadable(): readonly string[] {
    return this.#content.damaged;
  }

  /** Returns the names of packages with missing or altered files. */
  listDamaged(): ReadonlySet<string> {
    const damaged = this.list().filter(({ directory }) => this.#damage.has(directory));
    return new Set(damaged.map(({ name }) => name));
  }

  /** Returns true if files of a bundle are missing or altered. */
  isDamaged({ directory }: InstalledPackage, { location }: StoredBundle): boolean {
    return this.#damage.get(directory)?.some((file) => isPartOf(file, location)) === true;
  }

  /** Replaces the packages with the current records. */
  replace(content: InstalledPackages): void {
    this.#content = content;
    this.isSettled = true;
    const directories = new Set(content.packages.map(({ directory }) => directory));
    for (const directory of this.#damage.keys()) {
      if (!directories.has(directory)) this.#damage.delete(directory);
    }
  }

  /** Records the missing or altered files of a package. */
  recordDamage({ directory }: InstalledPackage, files: readonly string[]): void {
    if (files.length > 0) this.#damage.set(directory, files);
  }

  /** Returns the position of the next new package. */
  nextPosition(): number {
    return Math.max(0, ...this.list().map(({ position }) => position)) + 1;
  }
}
