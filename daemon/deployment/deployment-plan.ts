import type { IncomingPackage } from '../package/incoming-package.ts';
import type { PackageContents } from '../package/package-contents.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { StoredBundle, StoredFile, StoredResource } from '../package/stored-entry.ts';
import { findVersion, findVersionRange, isInRange } from '../package/osgi-version.ts';

/** What has to be done to have a package installed. */
export type DeploymentPlan =
  | { readonly kind: 'NOTHING'; readonly former: InstalledPackage }
  | {
      readonly kind: 'INSTALL' | 'UPDATE' | 'FIX_PACK';
      readonly former: InstalledPackage | undefined;
      /** In the order of the manifest. */
      readonly bundles: readonly StoredBundle[];
      readonly resources: readonly StoredResource[];
      /** Files of the former version that a fix package goes on with. */
      readonly inherited: readonly StoredFile[];
    };

/**
 * Decides what an incoming package means for those that are installed.
 *
 * A package that is installed already, byte by byte, is left alone, unless files of it are damaged. Another version of an
 * installed name replaces it, later or earlier.
 *
 * @param damaged names of packages with files that are not as they were installed
 * @throws {DeploymentError} `BUNDLE_SHARING_VIOLATION`, `MISSING_FIXPACK_TARGET`, `MISSING_BUNDLE`, `MISSING_RESOURCE`
 */
export function planDeployment(
  installed: readonly InstalledPackage[],
  incoming: IncomingPackage,
  damaged: ReadonlySet<string> = new Set(),
): DeploymentPlan {
  const { contents, sha256, bundles, resources } = incoming;
  const former = installed.find(({ name }) => name === contents.symbolicName);
  refuseSharedBundles(installed, contents);
  if (former?.sha256 === sha256 && !damaged.has(former.name)) return { kind: 'NOTHING', former };
  if (contents.fixPack === undefined) {
    return { kind: former === undefined ? 'INSTALL' : 'UPDATE', former, bundles, resources, inherited: [] };
  }
  return planFixPack(former, contents.fixPack, incoming);
}

function planFixPack(
  former: InstalledPackage | undefined,
  range: string,
  { contents, bundles, resources }: IncomingPackage,
): DeploymentPlan {
  if (former === undefined || !isVersionInRange(former.version, range)) {
    const found = former === undefined ? 'is not installed' : `has version ${former.version}`;
    const detail = `this fix package is for versions ${range} of ${contents.symbolicName}, which ${found}`;
    throw new DeploymentError('MISSING_FIXPACK_TARGET', detail);
  }
  const allBundles = contents.bundles.map((declared) => {
    const own = bundles.find(({ path }) => path === declared.path);
    return own ?? getFormerBundle(former, declared);
  });
  const allResources = contents.resources.map(({ path }) => {
    const own = resources.find((candidate) => candidate.path === path);
    return own ?? getFormerResource(former, path);
  });
  const kept = [
    ...allBundles.filter((bundle) => !bundles.includes(bundle)),
    ...allResources.filter((resource) => !resources.includes(resource)),
  ];
  const inherited = former.files.filter(({ path }) => kept.some((part) => isPartOf(path, part.location)));
  return { kind: 'FIX_PACK', former, bundles: allBundles, resources: allResources, inherited };
}

function getFormerBundle(
  former: InstalledPackage,
  { path, symbolicName, version }: PackageContents['bundles'][number],
): StoredBundle {
  const found = former.bundles.find(
    (bundle) => bundle.symbolicName === symbolicName && bundle.version === version,
  );
  if (found === undefined) {
    const detail = `the bundle ${symbolicName} ${version}, which the fix package leaves out, is not installed`;
    throw new DeploymentError('MISSING_BUNDLE', detail);
  }
  return { ...found, path };
}

function getFormerResource(former: InstalledPackage, path: string): StoredResource {
  const found = former.resources.find((resource) => resource.path === path);
  if (found === undefined) {
    const detail = `the resource "${path}", which the fix package leaves out, is not installed`;
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

/** Whether a file is, or lies below, a location. */
export function isPartOf(file: string, location: string): boolean {
  return file === location || file.startsWith(`${location}/`);
}
