import type { PackageContents } from './package-contents.ts';
import type { StoredBundle, StoredFile, StoredResource } from './stored-entry.ts';

/** A package that was checked and unpacked. */
export interface IncomingPackage {
  readonly contents: PackageContents;
  /** SHA-256 of the file that it came from. */
  readonly sha256: string;
  /** What is in the package; without what a fix package leaves out. */
  readonly bundles: readonly StoredBundle[];
  readonly resources: readonly StoredResource[];
  readonly files: readonly StoredFile[];
}
