import path from 'node:path';

import { FILES_AT_ONCE, mapInBatches, unpackBundle } from './unpack-bundle.ts';
import type { UnpackingBudget } from './unpack-bundle.ts';
import { DeploymentError } from './deployment-error.ts';
import { extractEntry } from './archive/entry-extraction.ts';
import { checkEntryOrder } from './archive/entry-order.ts';
import type { StoredBundle, StoredFile, StoredResource } from './archive/stored-entry.ts';
import { openPackage } from './package-reader.ts';
import type { DeclaredResource, PackageContents } from './package-contents.ts';
import { verifyPackageSignature } from './signature/verify-signature.ts';
import type { PackageSignature } from './signature/verify-signature.ts';
import type { SignaturePolicy, SignatureVerdict } from './signature/signer-trust.ts';
import { MAXIMUM_UNPACKED_BYTES } from './archive/zip-directory.ts';
import type { ZipEntry } from './archive/zip-directory.ts';

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

/** Maximum number of entries of all bundles of a package together. */
export const MAXIMUM_BUNDLE_ENTRIES = 40_000;

/** Request to the process that unpacks. */
export interface UnpackingRequest {
  /** The package. */
  readonly file: string;
  /** SHA-256 of the package. */
  readonly sha256: string;
  /** An empty directory, below which everything is written. */
  readonly target: string;
  readonly signaturePolicy: SignaturePolicy;
  /** Certificates of trusted signers and of trusted authorities; PEM. */
  readonly trustedCertificates: readonly string[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Requests every error, not only the first. */
  readonly isThorough?: boolean;
}

/** A package whose content has been checked and written to the target. */
export interface UnpackedPackage extends IncomingPackage {
  readonly signature: SignatureVerdict;
}

/**
 * Checks a deployment package and unpacks it: resources to `resources/<path>`, bundles with `Penstock-Main` to
 * `bundles/<symbolic name>/`, other bundles unchanged to `archives/<symbolic name>.jar`.
 *
 * Structure, manifest and signature are checked before anything is written.
 *
 * @throws {DeploymentError} the first error of the package
 */
export async function unpackPackage(request: UnpackingRequest): Promise<UnpackedPackage> {
  const { file, sha256 } = request;
  const { entries, contents, signed } = openPackage(file);
  checkEntryOrder([...entries.keys()], contents);
  const signature = await verifyPackageSignature({ ...request, ...signed });
  const extraction: Extraction = { ...request, entries, digests: signature.digests };
  const resources = await mapInBatches(
    contents.resources.filter(({ isMissing }) => !isMissing),
    FILES_AT_ONCE,
    (declared) => unpackResource(extraction, declared),
  );
  const budget: UnpackingBudget = { bytes: MAXIMUM_UNPACKED_BYTES, entries: MAXIMUM_BUNDLE_ENTRIES };
  const bundles: Awaited<ReturnType<typeof unpackBundle>>[] = [];
  for (const declared of contents.bundles.filter(({ isMissing }) => !isMissing)) {
    const archive = await extract(extraction, declared.path, `archives/${declared.symbolicName}.jar`);
    bundles.push(await unpackBundle({ declared, archive, target: request.target, budget }));
  }
  const files = [...resources, ...bundles].flatMap((part) => part.files);
  return {
    contents,
    sha256,
    signature: signature.verdict,
    resources: resources.map(({ resource }) => resource),
    bundles: bundles.map(({ bundle }) => bundle),
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** Source and target of the entries to extract. */
export interface Extraction extends Pick<UnpackingRequest, 'file' | 'target'> {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Signed digests by entry. */
  readonly digests: PackageSignature['digests'];
}

async function unpackResource(
  extraction: Extraction,
  { path: entryPath, processor }: DeclaredResource,
): Promise<{ readonly resource: StoredResource; readonly files: readonly StoredFile[] }> {
  const stored = await extract(extraction, entryPath, `resources/${entryPath}`);
  const resource = { path: entryPath, sha256: stored.sha256, location: stored.path };
  return { resource: processor === undefined ? resource : { ...resource, processor }, files: [stored] };
}

/**
 * Writes an entry to its location, and compares it with the signed digests.
 *
 * @throws {DeploymentError} `NOT_A_JAR`, `SIGNING_ERROR`
 */
export async function extract(
  { file, target, entries, digests }: Extraction,
  name: string,
  location: string,
): Promise<StoredFile> {
  const entry = entries.get(name);
  if (entry === undefined) throw new DeploymentError('NOT_A_JAR', `the entry "${name}" is missing`);
  const signed = digests.get(name) ?? new Map<string, string>();
  const algorithms = new Set(['sha256', ...signed.keys()]);
  const actual = await extractEntry(file, entry, path.join(target, location), [...algorithms]);
  for (const [algorithm, digest] of signed) {
    if (actual.get(algorithm) === digest) continue;
    throw new DeploymentError('SIGNING_ERROR', `the entry "${name}" does not match its signature`);
  }
  return { path: location, sizeBytes: entry.sizeBytes, sha256: actual.get('sha256') ?? '' };
}
