import { ArchiveReader, scanArchive } from './archive/archive-reader.ts';
import { DeploymentError } from './deployment-error.ts';
import { isSignatureFile } from './archive/entry-order.ts';
import { MAXIMUM_MANIFEST_BYTES, parseManifest } from './manifest.ts';
import { describePackage, MANIFEST_PATH } from './package-contents.ts';
import type { PackageContents } from './package-contents.ts';
import type { SignedPackage } from './signature/verify-signature.ts';
import type { ZipEntry } from './archive/zip-directory.ts';

/** Directory, manifest and signature files of a package; its content has not been read yet. */
interface OpenedPackage {
  /** The entries that are files, by name, in the order of the archive. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly contents: PackageContents;
  readonly signed: Pick<SignedPackage, 'manifest' | 'manifestBytes' | 'signatureFiles' | 'paths'>;
}

/**
 * Reads the directory, manifest and signature files of a package.
 *
 * @throws {DeploymentError} the first error in the archive or its manifest
 */
export function openPackage(file: string): OpenedPackage {
  const files = scanArchive(file, 'PORTABLE').filter(({ isDirectory }) => !isDirectory);
  const entries = new Map(files.map((entry) => [entry.name, entry]));
  if (!entries.has(MANIFEST_PATH)) {
    throw new DeploymentError('ORDER_ERROR', `${MANIFEST_PATH} must be the first entry`);
  }
  const reader = new ArchiveReader(file);
  const read = (name: string): Buffer => reader.read(name, MAXIMUM_MANIFEST_BYTES);
  const manifestBytes = read(MANIFEST_PATH);
  const manifest = parseManifest(manifestBytes);
  const contents = describePackage(manifest);
  const signed = {
    manifest,
    manifestBytes,
    signatureFiles: new Map([...entries.keys()].filter(isSignatureFile).map((name) => [name, read(name)])),
    paths: [...contents.bundles, ...contents.resources]
      .filter(({ isMissing }) => !isMissing)
      .map(({ path }) => path),
  };
  return { entries, contents, signed };
}
