import { writeSection } from '../../daemon/software/package/manifest-writer.ts';
import type { SectionHeaders as Section } from '../../daemon/software/package/manifest-writer.ts';
import { buildZip } from './zip-builder.ts';
import type { ZipPart } from './zip-builder.ts';

export interface BundleDescription {
  readonly symbolicName: string;
  readonly version?: string;
  /** Content of the module that is started; undefined: a bundle that cannot be started. */
  readonly main?: string;
  readonly permissions?: string;
  readonly identities?: string;
  /** Further files. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Header values that override those of the description. */
  readonly headers?: Section;
}

export interface PackageDescription {
  readonly symbolicName: string;
  readonly version?: string;
  readonly headers?: Section;
  readonly bundles?: readonly BundleDescription[];
  /** Bundles of the installed version that a fix package goes on with. */
  readonly missingBundles?: readonly BundleDescription[];
  readonly resources?: Readonly<Record<string, string | Uint8Array>>;
  readonly missingResources?: readonly string[];
}

/** Creates the JAR of a bundle. */
export function buildBundle(description: BundleDescription): Buffer {
  const { symbolicName, version = '1.0.0', main, permissions, identities, files = {} } = description;
  const { headers = {} } = description;
  const manifest = writeSection({
    'Manifest-Version': '1.0',
    'Bundle-ManifestVersion': '2',
    'Bundle-SymbolicName': symbolicName,
    'Bundle-Version': version,
    ...(main === undefined ? {} : { 'Penstock-Main': 'main.mjs' }),
    ...(permissions === undefined ? {} : { 'Penstock-Permissions': permissions }),
    ...(identities === undefined ? {} : { 'Penstock-Identities': identities }),
    ...headers,
  });
  const own = main === undefined ? {} : { 'main.mjs': main };
  return buildZip([{ name: 'META-INF/MANIFEST.MF', content: manifest }, ...toParts({ ...own, ...files })]);
}

/** Returns the entries of a package, so that a test can change them before they are written. */
export function listPackageParts(description: PackageDescription): readonly ZipPart[] {
  const { symbolicName, version = '1.0.0', headers = {}, bundles = [], resources = {} } = description;
  const { missingBundles = [], missingResources = [] } = description;
  const main = {
    'Manifest-Version': '1.0',
    'DeploymentPackage-SymbolicName': symbolicName,
    'DeploymentPackage-Version': version,
    ...headers,
  };
  const sections: Section[] = [
    ...bundles.map((bundle) => toBundleSection(bundle)),
    ...missingBundles.map((bundle) => toBundleSection(bundle, { 'DeploymentPackage-Missing': 'true' })),
    ...Object.keys(resources).map((name) => ({ Name: name })),
    ...missingResources.map((name) => ({ Name: name, 'DeploymentPackage-Missing': 'true' })),
  ];
  return [
    { name: 'META-INF/MANIFEST.MF', content: Buffer.concat([main, ...sections].map(writeSection)) },
    ...bundles.map((bundle) => ({ name: pathOf(bundle), content: buildBundle(bundle), isCompressed: false })),
    ...toParts(resources),
  ];
}

/** Creates a deployment package. */
export function buildPackage(description: PackageDescription): Buffer {
  return buildZip(listPackageParts(description));
}

function toBundleSection(bundle: BundleDescription, more: Section = {}): Section {
  return {
    Name: pathOf(bundle),
    'Bundle-SymbolicName': bundle.symbolicName,
    'Bundle-Version': bundle.version ?? '1.0.0',
    ...more,
  };
}

function pathOf({ symbolicName, version = '1.0.0' }: BundleDescription): string {
  return `${symbolicName}_${version}.jar`;
}

function toParts(files: Readonly<Record<string, string | Uint8Array>>): readonly ZipPart[] {
  return Object.entries(files).map(([name, content]) => ({ name, content }));
}
