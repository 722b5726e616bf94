import type { PackageContents } from './package-contents.ts';
import type { StoredBundle, StoredFile, StoredResource } from './stored-entry.ts';

/** A package that has been checked and unpacked. */
export interface IncomingPackage {
  readonly contents: PackageContents;
  /** SHA-256 of the file that it came from. */
  readonly sha256: string;
  /** Bundles in the package, without those that a fix package omits. */
  readonly bundles: readonly StoredBundle[];
  readonly resources: readonly StoredResource[];
  readonly files: readonly StoredFile[];
}
