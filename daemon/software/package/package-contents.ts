import { DeploymentError } from './deployment-error.ts';
import { findHeaderValue } from './archive/header-value.ts';
import type { Headers, Manifest, ManifestSection } from './manifest.ts';
import { findVersion, findVersionRange, formatVersion, MAXIMUM_PART } from './osgi-version.ts';

/** A bundle as the manifest of a deployment package declares it. */
export interface DeclaredBundle {
  /** Path of its entry. */
  readonly path: string;
  readonly symbolicName: string;
  /** In full: `1.2.0`. */
  readonly version: string;
  /** The entry is not in this package, but in the installed package that this one fixes. */
  readonly isMissing: boolean;
}

/** An entry that is not a bundle. */
export interface DeclaredResource {
  readonly path: string;
  /** Pid of the resource processor. */
  readonly processor?: string;
  readonly isMissing: boolean;
}

/** Contents of a deployment package as its manifest declares them (OSGi Compendium, 114.3). */
export interface PackageContents {
  readonly symbolicName: string;
  /** In full: `1.2.0`. */
  readonly version: string;
  /** Range of the installed versions that this package fixes; undefined: it is not a fix package. */
  readonly fixPack?: string;
  readonly requiredStorageBytes?: number;
  /** Bundles and resources in the order of the manifest. */
  readonly bundles: readonly DeclaredBundle[];
  readonly resources: readonly DeclaredResource[];
}

/** Path of the manifest in every archive. */
export const MANIFEST_PATH = 'META-INF/MANIFEST.MF';

const MAXIMUM_NAME_LENGTH = 200;
// OSGi Core, 1.3.2: symbolic-name ::= token('.'token)*
const SYMBOLIC_NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** Returns true if a text is a valid name of a package or bundle. */
function isSymbolicName(text: string): boolean {
  return text.length <= MAXIMUM_NAME_LENGTH && SYMBOLIC_NAME.test(text);
}

/**
 * Reads the contents of a deployment package from its manifest.
 *
 * @throws {DeploymentError} `MISSING_HEADER`, `BAD_HEADER`
 */
export function describePackage({ main, sections }: Manifest): PackageContents {
  const symbolicName = readSymbolicName(main, 'DeploymentPackage-SymbolicName');
  const version = readVersion(main, 'DeploymentPackage-Version');
  const fixPack = main.get('deploymentpackage-fixpack');
  if (fixPack !== undefined && findVersionRange(fixPack) === undefined) {
    throw badVersion('DeploymentPackage-FixPack', 'a range of versions such as [1.0,2.0)', fixPack);
  }
  const listed = sections.filter(({ name }) => !isMetadata(name));
  const bundles = listed.filter(isBundle).map(toBundle);
  const resources = listed.filter((section) => !isBundle(section)).map(toResource);
  const names = new Set(bundles.map((bundle) => bundle.symbolicName));
  if (names.size < bundles.length) {
    throw new DeploymentError('BAD_HEADER', 'the package declares two bundles of one symbolic name');
  }
  const missing = [...bundles, ...resources].find(({ isMissing }) => isMissing);
  if (missing !== undefined && fixPack === undefined) {
    const detail = `only a fix package may omit an entry, as this one does with "${missing.path}"`;
    throw new DeploymentError('BAD_HEADER', detail);
  }
  const storage = findRequiredStorage(main);
  return {
    symbolicName,
    version,
    ...(fixPack === undefined ? {} : { fixPack }),
    ...(storage === undefined ? {} : { requiredStorageBytes: storage }),
    bundles,
    resources,
  };
}

/**
 * Reads the symbolic name of a bundle, without its parameters.
 *
 * @throws {DeploymentError} `MISSING_HEADER`, `BAD_HEADER`
 */
export function readSymbolicName(headers: Headers, header: string): string {
  const value = findHeaderValue(readHeader(headers, header))?.value ?? '';
  if (!isSymbolicName(value)) throw bad(header, 'a symbolic name such as com.example.package');
  return value;
}

/**
 * Reads a version and returns it in full.
 *
 * @throws {DeploymentError} `MISSING_HEADER`, `BAD_HEADER`
 */
export function readVersion(headers: Headers, header: string): string {
  const text = readHeader(headers, header);
  const version = findVersion(text);
  if (version === undefined) throw badVersion(header, 'a version such as 1.2.3', text);
  return formatVersion(version);
}

/** Returns true if an entry describes the archive itself: manifest, signatures, and related files of build tools. */
export function isMetadata(path: string): boolean {
  return path.toUpperCase().startsWith('META-INF/');
}

function isBundle({ headers }: ManifestSection): boolean {
  return headers.has('bundle-symbolicname') || headers.has('bundle-version');
}

function toBundle({ name, headers }: ManifestSection): DeclaredBundle {
  return {
    path: name,
    symbolicName: readSymbolicName(headers, 'Bundle-SymbolicName'),
    version: readVersion(headers, 'Bundle-Version'),
    isMissing: readFlag(headers, 'DeploymentPackage-Missing'),
  };
}

function toResource({ name, headers }: ManifestSection): DeclaredResource {
  const processor = headers.get('resource-processor')?.trim();
  return {
    path: name,
    ...(processor === undefined ? {} : { processor }),
    isMissing: readFlag(headers, 'DeploymentPackage-Missing'),
  };
}

function readFlag(headers: Headers, header: string): boolean {
  const value = headers.get(header.toLowerCase())?.trim().toLowerCase() ?? 'false';
  if (value !== 'true' && value !== 'false') throw bad(header, 'true or false');
  return value === 'true';
}

function findRequiredStorage(headers: Headers): number | undefined {
  const header = 'DeploymentPackage-RequiredStorage';
  const text = headers.get(header.toLowerCase())?.trim();
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw bad(header, 'a number of bytes');
  return Number(text);
}

function readHeader(headers: Headers, header: string): string {
  const text = headers.get(header.toLowerCase());
  if (text === undefined) throw new DeploymentError('MISSING_HEADER', `the header ${header} is missing`);
  return text;
}

function bad(header: string, expected: string): DeploymentError {
  return new DeploymentError('BAD_HEADER', `the header ${header} must be ${expected}`);
}

function badVersion(header: string, expected: string, text: string): DeploymentError {
  const shown = JSON.stringify(text.slice(0, 60));
  return bad(header, `${expected} with parts up to ${MAXIMUM_PART}, unlike ${shown}`);
}
