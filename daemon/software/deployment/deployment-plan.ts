import type { IncomingPackage } from '../package/unpack-package.ts';
import type { PackageContents } from '../package/package-contents.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { StoredBundle, StoredFile, StoredResource } from '../package/archive/stored-entry.ts';
import { findVersion, findVersionRange, isInRange } from '../package/osgi-version.ts';

/** Steps that install a package. */
export type DeploymentPlan =
  | { readonly kind: 'NOTHING'; readonly previous: InstalledPackage }
  | {
      readonly kind: 'INSTALL' | 'UPDATE' | 'FIX_PACK';
      readonly previous: InstalledPackage | undefined;
      /** In the order of the manifest. */
      readonly bundles: readonly StoredBundle[];
      readonly resources: readonly StoredResource[];
      /** Files of the previous version that a fix package keeps. */
      readonly inherited: readonly StoredFile[];
    };

/**
 * Decides how an incoming package changes the installed ones.
 *
 * A package whose file is already installed, byte for byte, changes nothing, unless its installed files are damaged. Any other
 * version of an installed name replaces it, later or earlier.
 *
 * @param damaged names of packages with missing or altered files
 * @throws {DeploymentError} `BUNDLE_SHARING_VIOLATION`, `MISSING_FIXPACK_TARGET`, `MISSING_BUNDLE`, `MISSING_RESOURCE`
 */
export function planDeployment(
  installed: readonly InstalledPackage[],
  incoming: IncomingPackage,
  damaged: ReadonlySet<string> = new Set(),
): DeploymentPlan {
  const { contents, sha256, bundles, resources } = incoming;
  const previous = installed.find(({ name }) => name === contents.symbolicName);
  refuseSharedBundles(installed, contents);
  if (previous?.sha256 === sha256 && !damaged.has(previous.name)) return { kind: 'NOTHING', previous };
  if (contents.fixPack === undefined) {
    return {
      kind: previous === undefined ? 'INSTALL' : 'UPDATE',
      previous,
      bundles,
      resources,
      inherited: [],
    };
  }
  return planFixPack(previous, contents.fixPack, incoming);
}

function planFixPack(
  previous: InstalledPackage | undefined,
  range: string,
  { contents, bundles, resources }: IncomingPackage,
): DeploymentPlan {
  if (previous === undefined || !isVersionInRange(previous.version, range)) {
    const found = previous === undefined ? 'is not installed' : `has version ${previous.version}`;
    const detail = `this fix package is for versions ${range} of ${contents.symbolicName}, which ${found}`;
    throw new DeploymentError('MISSING_FIXPACK_TARGET', detail);
  }
  const allBundles = contents.bundles.map((declared) => {
    const own = bundles.find(({ path }) => path === declared.path);
    return own ?? getPreviousBundle(previous, declared);
  });
  const allResources = contents.resources.map(({ path }) => {
    const own = resources.find((candidate) => candidate.path === path);
    return own ?? getPreviousResource(previous, path);
  });
  const kept = [
    ...allBundles.filter((bundle) => !bundles.includes(bundle)),
    ...allResources.filter((resource) => !resources.includes(resource)),
  ];
  const inherited = previous.files.filter(({ path }) => kept.some((part) => isPartOf(path, part.location)));
  return { kind: 'FIX_PACK', previous, bundles: allBundles, resources: allResources, inherited };
}

function getPreviousBundle(
  previous: InstalledPackage,
  { path, symbolicName, version }: PackageContents['bundles'][number],
): StoredBundle {
  const found = previous.bundles.find(
    (bundle) => bundle.symbolicName === symbolicName && bundle.version === version,
  );
  if (found === undefined) {
    const detail = `the bundle ${symbolicName} ${version}, which the fix package omits, is not installed`;
    throw new DeploymentError('MISSING_BUNDLE', detail);
  }
  return { ...found, path };
}

function getPreviousResource(previous: InstalledPackage, path: string): StoredResource {
  const found = previous.resources.find((resource) => resource.path === path);
  if (found === undefined) {
    const detail = `the resource "${path}", which the fix package omits, is not installed`;
    throw new DeploymentError('MISSING_RESOURCE', detail);
  }
  return found;
}

function refuseSharedBundles(installed: readonly InstalledPackage[], contents: PackageContents): void {
  for (const other of installed) {
    if (other.name === contents.symbolicName) continue;
    const shared = other.bundles.find((bundle) =>
      contents.bundles.some(({ symbolicName }) => symbolicName === bundle.symbolicName),
    );
    if (shared === undefined) continue;
    const detail = `the bundle ${shared.symbolicName} belongs to the package ${other.name}`;
    throw new DeploymentError('BUNDLE_SHARING_VIOLATION', detail);
  }
}

function isVersionInRange(version: string, range: string): boolean {
  const [parsed, parsedRange] = [findVersion(version), findVersionRange(range)];
  return parsed !== undefined && parsedRange !== undefined && isInRange(parsed, parsedRange);
}

/** Returns true if a file is a location or below it. */
export function isPartOf(file: string, location: string): boolean {
  return file === location || file.startsWith(`${location}/`);
}
