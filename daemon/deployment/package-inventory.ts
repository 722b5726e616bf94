import { isPartOf } from './deployment-plan.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { StoredBundle } from '../package/stored-entry.ts';
import type { LedgerContent } from './package-ledger.ts';

/** What is installed, as the ledger says, and what of it is damaged. */
export class PackageInventory {
  /** False as long as the state on the medium is not in order. */
  isSettled = false;
  #content: LedgerContent = { packages: [], damaged: [] };
  // By the directory of the version, which no other version has: paths of files.
  readonly #damage = new Map<string, readonly string[]>();

  /** Every package, in the order of installation. */
  list(): readonly InstalledPackage[] {
    return this.#content.packages;
  }

  /** Names of packages whose record cannot be read; they are not installed, but nothing of them is removed. */
  listUnreadable(): readonly string[] {
    return this.#content.damaged;
  }

  /** Names of packages with files that are not as they were installed. */
  listDamaged(): ReadonlySet<string> {
    const damaged = this.list().filter(({ directory }) => this.#damage.has(directory));
    return new Set(damaged.map(({ name }) => name));
  }

  /** Whether files of a bundle are not as they were installed. */
  isDamaged({ directory }: InstalledPackage, { location }: StoredBundle): boolean {
    return this.#damage.get(directory)?.some((file) => isPartOf(file, location)) === true;
  }

  /** Takes over what the ledger says now. */
  replace(content: LedgerContent): void {
    this.#content = content;
    this.isSettled = true;
    const directories = new Set(content.packages.map(({ directory }) => directory));
    for (const directory of this.#damage.keys()) {
      if (!directories.has(directory)) this.#damage.delete(directory);
    }
  }

  /** Notes which files of a package are not as they were installed. */
  recordDamage({ directory }: InstalledPackage, files: readonly string[]): void {
    if (files.length > 0) this.#damage.set(directory, files);
  }

  /** Gives the place of the next package that is new. */
  nextPosition(): number {
    return Math.max(0, ...this.list().map(({ position }) => position)) + 1;
  }
}
