import { DeploymentError } from '../deployment-error.ts';
import { isMetadata, MANIFEST_PATH } from '../package-contents.ts';
import type { PackageContents } from '../package-contents.ts';

const SIGNATURE_FILE = /^META-INF\/[A-Za-z0-9_-]{1,64}\.(?:SF|RSA|DSA|EC)$/i;
// Directory of the texts that a manifest refers to (OSGi Core, 3.11.2).
const LOCALIZATION = 'OSGI-INF/l10n/';

/** Returns true if an entry belongs to the signature of a JAR. */
export function isSignatureFile(path: string): boolean {
  return SIGNATURE_FILE.test(path);
}

/** Returns true if an entry contains translations of the manifest. */
function isLocalization(path: string): boolean {
  return path.startsWith(LOCALIZATION);
}

/**
 * Checks that the manifest comes first, that signature files, translations, bundles and resources follow in this order
 * (OSGi Compendium, 114.3), and that entries and sections match.
 *
 * @param paths the entries that are files, in the order of the archive
 * @throws {DeploymentError} `ORDER_ERROR`, `MISSING_HEADER`, `MISSING_BUNDLE`, `MISSING_RESOURCE`, `BAD_HEADER`
 */
export function checkEntryOrder(paths: readonly string[], contents: PackageContents): void {
  if (paths[0] !== MANIFEST_PATH) throw outOfOrder(`${MANIFEST_PATH} must come first`);
  const bundlePaths = new Set(contents.bundles.map(({ path }) => path));
  const resourcePaths = new Set(contents.resources.map(({ path }) => path));
  let reached = 0;
  for (const path of paths.slice(1)) {
    if (isMetadata(path) && !isSignatureFile(path)) continue;
    const rank = rankOf(path, bundlePaths, resourcePaths);
    if (rank < reached) throw outOfOrder(`"${path}" comes too late`);
    reached = rank;
  }
  checkCompleteness(new Set(paths), contents);
}

function rankOf(path: string, bundles: ReadonlySet<string>, resources: ReadonlySet<string>): number {
  if (isSignatureFile(path)) return 0;
  if (bundles.has(path)) return 2;
  if (resources.has(path)) return 3;
  if (isLocalization(path)) return 1;
  throw new DeploymentError('MISSING_HEADER', `the manifest has no section for the entry "${path}"`);
}

function checkCompleteness(paths: ReadonlySet<string>, { bundles, resources }: PackageContents): void {
  const bundle = bundles.find(({ path, isMissing }) => !isMissing && !paths.has(path));
  if (bundle !== undefined) {
    throw new DeploymentError('MISSING_BUNDLE', `the bundle "${bundle.path}" is not in the package`);
  }
  const resource = resources.find(({ path, isMissing }) => !isMissing && !paths.has(path));
  if (resource !== undefined) {
    throw new DeploymentError('MISSING_RESOURCE', `the resource "${resource.path}" is not in the package`);
  }
  const present = [...bundles, ...resources].find(({ path, isMissing }) => isMissing && paths.has(path));
  if (present !== undefined) {
    throw new DeploymentError(
      'BAD_HEADER',
      `"${present.path}" is declared missing, but the package contains it`,
    );
  }
}

function outOfOrder(what: string): DeploymentError {
  return new DeploymentError(
    'ORDER_ERROR',
    `${what}; the order is manifest, signature files, bundles, resources`,
  );
}
