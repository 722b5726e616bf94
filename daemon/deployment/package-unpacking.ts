import path from 'node:path';

import { unpackBundle } from './bundle-unpacking.ts';
import type { UnpackingBudget } from './bundle-unpacking.ts';
import { ArchiveReader } from './archive-reader.ts';
import { DeploymentError } from './deployment-error.ts';
import type { IncomingPackage } from './deployment-plan.ts';
import { extractEntry } from './entry-extraction.ts';
import { checkEntryOrder, isSignatureFile } from './entry-order.ts';
import type { StoredBundle, StoredFile, StoredResource } from './installed-package.ts';
import { MAXIMUM_MANIFEST_BYTES, parseManifest } from './manifest.ts';
import { describePackage, MANIFEST_PATH } from './package-contents.ts';
import { verifyPackageSignature } from './package-signature.ts';
import type { SignaturePolicy, SignatureVerdict } from './signature-verdict.ts';
import { scanArchive } from './archive-scan.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_UNPACKED_BYTES } from './zip-directory.ts';
import type { ZipEntry } from './zip-directory.ts';

/** What the process that unpacks is asked to do. */
export interface UnpackingRequest {
  /** The package. */
  readonly file: string;
  /** SHA-256 of it. */
  readonly sha256: string;
  /** An empty directory, into which everything is written. */
  readonly target: string;
  readonly signaturePolicy: SignaturePolicy;
  /** Certificates of signers, or of authorities over them, that are trusted; PEM. */
  readonly trustedCertificates: readonly string[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A package whose content was checked and written to the directory asked for. */
export interface UnpackedPackage extends IncomingPackage {
  readonly signature: SignatureVerdict;
}

/**
 * Checks a deployment package and unpacks it: resources to `resources/<path>`, bundles with `Penstock-Main` to
 * `bundles/<symbolic name>/`, other bundles as they are to `archives/<symbolic name>.jar`.
 *
 * Its structure, manifest and signature are checked before anything is written.
 *
 * @throws {DeploymentError} with what is wrong with the package
 */
export async function unpackPackage(request: UnpackingRequest): Promise<UnpackedPackage> {
  const { file, target, sha256 } = request;
  const entries = scanArchive(file, 'PORTABLE').filter(({ isDirectory }) => !isDirectory);
  const reader = new ArchiveReader(file);
  if (entries[0]?.name !== MANIFEST_PATH) {
    throw new DeploymentError('ORDER_ERROR', `${MANIFEST_PATH} has to be the first entry`);
  }
  const manifestBytes = reader.read(MANIFEST_PATH, MAXIMUM_MANIFEST_BYTES);
  const manifest = parseManifest(manifestBytes);
  const contents = describePackage(manifest);
  const names = entries.map(({ name }) => name);
  checkEntryOrder(names, contents);
  const signature = await verifyPackageSignature({
    ...request,
    manifest,
    manifestBytes,
    signatureFiles: new Map(
      names.filter(isSignatureFile).map((name) => [name, reader.read(name, MAXIMUM_MANIFEST_BYTES)]),
    ),
    paths: [...contents.bundles, ...contents.resources]
      .filter(({ isMissing }) => !isMissing)
      .map(({ path: entryPath }) => entryPath),
  });

  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const files: StoredFile[] = [];
  const resources: StoredResource[] = [];
  for (const { path: entryPath, processor, isMissing } of contents.resources) {
    const entry = byName.get(entryPath);
    if (isMissing || entry === undefined) continue;
    const location = `resources/${entryPath}`;
    const digest = await extract(entry, location);
    files.push({ path: location, sizeBytes: entry.sizeBytes, sha256: digest });
    resources.push({
      path: entryPath,
      sha256: digest,
      location,
      ...(processor === undefined ? {} : { processor }),
    });
  }
  const bundles: StoredBundle[] = [];
  const budget: UnpackingBudget = { bytes: MAXIMUM_UNPACKED_BYTES, entries: 5 * MAXIMUM_ENTRIES };
  for (const declared of contents.bundles) {
    const entry = byName.get(declared.path);
    if (declared.isMissing || entry === undefined) continue;
    const location = `archives/${declared.symbolicName}.jar`;
    const digest = await extract(entry, location);
    const archive = { path: location, sizeBytes: entry.sizeBytes, sha256: digest };
    const unpacked = await unpackBundle({ declared, archive, target, budget });
    files.push(...unpacked.files);
    bundles.push(unpacked.bundle);
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { contents, sha256, signature: signature.verdict, resources, bundles, files };

  async function extract(entry: ZipEntry, location: string): Promise<string> {
    const expected = signature.digests.get(entry.name) ?? new Map<string, string>();
    const algorithms = new Set(['sha256', ...expected.keys()]);
    const actual = await extractEntry(file, entry, path.join(target, location), [...algorithms]);
    for (const [algorithm, digest] of expected) {
      if (actual.get(algorithm) === digest) continue;
      throw new DeploymentError('SIGNING_ERROR', `the entry "${entry.name}" is not what was signed`);
    }
    return actual.get('sha256') ?? '';
  }
}
