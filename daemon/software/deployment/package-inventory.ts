import { isPartOf } from './deployment-plan.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { StoredBundle } from '../package/archive/stored-entry.ts';
import type { LedgerContent } from './package-ledger.ts';

/** Holds the installed packages, as the ledger names them, and which of their files are damaged. */
export class PackageInventory {
  /** False while a change of the files on disk is open. */
  isSettled = false;
  #content: LedgerContent = { packages: [], damaged: [] };
  // Paths of damaged files by the directory of the version, which is unique.
  readonly #damage = new Map<string, readonly string[]>();

  /** Lists the packages in the order of installation. */
  list(): readonly InstalledPackage[] {
    return this.#content.packages;
  }

  /** Lists the names of packages whose record cannot be read; they are not installed, but their files are kept. */
  listUnreadable(): readonly string[] {
    return this.#content.damaged;
  }

  /** Returns the names of packages with missing or altered files. */
  listDamaged(): ReadonlySet<string> {
    const damaged = this.list().filter(({ directory }) => this.#damage.has(directory));
    return new Set(damaged.map(({ name }) => name));
  }

  /** Returns whether files of a bundle are missing or altered. */
  isDamaged({ directory }: InstalledPackage, { location }: StoredBundle): boolean {
    return this.#damage.get(directory)?.some((file) => isPartOf(file, location)) === true;
  }

  /** Replaces the packages by the current content of the ledger. */
  replace(content: LedgerContent): void {
    this.#content = content;
    this.isSettled = true;
    const directories = new Set(content.packages.map(({ directory }) => directory));
    for (const directory of this.#damage.keys()) {
      if (!directories.has(directory)) this.#damage.delete(directory);
    }
  }

  /** Records which files of a package are missing or altered. */
  recordDamage({ directory }: InstalledPackage, files: readonly string[]): void {
    if (files.length > 0) this.#damage.set(directory, files);
  }

  /** Returns the position of the next new package. */
  nextPosition(): number {
    return Math.max(0, ...this.list().map(({ position }) => position)) + 1;
  }
}
