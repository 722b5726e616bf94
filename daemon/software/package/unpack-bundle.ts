import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { BundleError } from '../bundle/bundle-error.ts';
import { parseInterfaceHeaders } from '../bundle/interface-headers.ts';
import type { InterfaceHeaders } from '../bundle/interface-headers.ts';
import { parseDeclaredSchema } from '../bundle/declared-schema.ts';
import { parsePermissions } from '../bundle/bundle-permissions.ts';
import type { PermissionHeaders } from '../bundle/bundle-permissions.ts';
import { messageOf } from '../../base/errors.ts';
import { ArchiveReader, scanArchive } from './archive/archive-reader.ts';
import { DeploymentError } from './deployment-error.ts';
import { extractEntry } from './archive/entry-extraction.ts';
import type { StoredBundle, StoredFile } from './archive/stored-entry.ts';
import { MAXIMUM_MANIFEST_BYTES, parseManifest } from './manifest.ts';
import type { Headers } from './manifest.ts';
import { addGermanWords, findWordsPath } from './settings-words.ts';
import { MANIFEST_PATH, readSymbolicName, readVersion } from './package-contents.ts';
import type { DeclaredBundle } from './package-contents.ts';

/** Remaining bytes and entries for all bundles of a package; decreases as they are read. */
export interface UnpackingBudget {
  bytes: number;
  entries: number;
}

/** Files written concurrently: each waits for the disk. */
export const FILES_AT_ONCE = 8;

interface BundleUnpacking {
  readonly declared: DeclaredBundle;
  /** The archive of the bundle, below `target`. */
  readonly archive: StoredFile;
  /** Directory of the package. */
  readonly target: string;
  readonly budget: UnpackingBudget;
}

const MAXIMUM_SCHEMA_BYTES = 65_536;
const MAIN = 'penstock-main';
const PERMISSIONS = 'penstock-permissions';
const IDENTITIES = 'penstock-identities';
const MODULE = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\.(?:js|mjs|cjs|ts|mts|cts)$/;

/**
 * Checks an archive that a package declares as a bundle. A bundle that can be started is unpacked, and its archive removed.
 *
 * @throws {DeploymentError} `NOT_A_JAR`; `BUNDLE_NAME_ERROR` when its own manifest names another bundle; `MISSING_HEADER`;
 *   `BAD_HEADER`
 */
export async function unpackBundle({
  declared,
  archive,
  target,
  budget,
}: BundleUnpacking): Promise<{ readonly bundle: StoredBundle; readonly files: readonly StoredFile[] }> {
  const file = path.join(target, archive.path);
  spend(budget, scanArchive(file, 'PRINTABLE').length, 0);
  const headers = parseManifest(new ArchiveReader(file).read(MANIFEST_PATH, MAXIMUM_MANIFEST_BYTES)).main;
  checkAgreement(declared, headers);
  const { symbolicName, version, path: entryPath } = declared;
  const permissions = headers.get(PERMISSIONS)?.trim() ?? '';
  const identities = headers.get(IDENTITIES)?.trim();
  const requested = { permissions, ...(identities === undefined ? {} : { identities }) };
  const bundle = { symbolicName, version, path: entryPath, sha256: archive.sha256, ...requested };
  const main = headers.get(MAIN)?.trim();
  if (main === undefined) return { bundle: { ...bundle, location: archive.path }, files: [archive] };
  checkPermissions(symbolicName, requested);
  const { memoryMib, interfaceVersion, settingsPath } = readInterface(symbolicName, headers);

  const location = `bundles/${symbolicName}`;
  const files = await unpackAll(file, target, location, budget);
  if (!MODULE.test(main) || !files.some(({ path: unpacked }) => unpacked === `${location}/${main}`)) {
    const detail = `the header Penstock-Main of ${symbolicName} must be the path of a module in the bundle`;
    throw new DeploymentError('BAD_HEADER', detail);
  }
  const settings =
    settingsPath === undefined
      ? undefined
      : await readSettings(symbolicName, { settingsPath, target, location, files });
  await rm(file);
  return {
    bundle: {
      ...bundle,
      main,
      location,
      ...(settings === undefined ? {} : { settings }),
      ...(memoryMib === undefined ? {} : { memoryMib }),
      ...(interfaceVersion === undefined ? {} : { interfaceVersion }),
    },
    files,
  };
}

function checkAgreement({ symbolicName, version, path: entryPath }: DeclaredBundle, headers: Headers): void {
  const ownName = readSymbolicName(headers, 'Bundle-SymbolicName');
  const ownVersion = readVersion(headers, 'Bundle-Version');
  if (ownName === symbolicName && ownVersion === version) return;
  const detail = `"${entryPath}" is the bundle ${ownName} ${ownVersion}, not ${symbolicName} ${version} as declared`;
  throw new DeploymentError('BUNDLE_NAME_ERROR', detail);
}

function checkPermissions(symbolicName: string, requested: PermissionHeaders): void {
  try {
    parsePermissions(requested);
  } catch (cause) {
    if (!(cause instanceof BundleError)) throw cause;
    throw new DeploymentError('BAD_HEADER', `the bundle ${symbolicName}: ${cause.detail}`, cause);
  }
}

function readInterface(symbolicName: string, headers: Headers): InterfaceHeaders {
  try {
    return parseInterfaceHeaders((name) => headers.get(name.toLowerCase())?.trim());
  } catch (cause) {
    if (!(cause instanceof BundleError)) throw cause;
    throw new DeploymentError('BAD_HEADER', `the bundle ${symbolicName}: ${cause.detail}`, cause);
  }
}

interface SettingsFile {
  readonly settingsPath: string;
  /** Directory of the package, and of the bundle in it. */
  readonly target: string;
  readonly location: string;
  readonly files: readonly StoredFile[];
}

/** Reads and checks the schema of the settings of a bundle. */
async function readSettings(
  symbolicName: string,
  { settingsPath, target, location, files }: SettingsFile,
): Promise<StoredBundle['settings']> {
  const bad = (detail: string, cause?: unknown): DeploymentError =>
    new DeploymentError('BAD_HEADER', `the bundle ${symbolicName}: Penstock-Settings: ${detail}`, cause);
  /** Undefined if the bundle has no such file. */
  const readJson = async (name: string): Promise<unknown> => {
    const stored = `${location}/${name}`;
    const found = files.find(({ path: unpacked }) => unpacked === stored);
    if (found === undefined) return undefined;
    if (found.sizeBytes > MAXIMUM_SCHEMA_BYTES)
      throw bad(`${name} has more than ${MAXIMUM_SCHEMA_BYTES} bytes`);
    try {
      return JSON.parse(await readFile(path.join(target, stored), 'utf8')) as unknown;
    } catch (cause) {
      throw bad(cause instanceof SyntaxError ? `${name} is not JSON` : messageOf(cause), cause);
    }
  };
  const wordsPath = findWordsPath(settingsPath);
  const declared = await readJson(settingsPath);
  if (declared === undefined) throw bad(`"${settingsPath.slice(0, 100)}" is no file of the bundle`);
  const words = await readJson(wordsPath);
  try {
    parseDeclaredSchema(settingsPath, declared);
    const settings = declared as NonNullable<StoredBundle['settings']>;
    return words === undefined ? settings : addGermanWords(settings, words);
  } catch (cause) {
    throw bad(cause instanceof TypeError ? `${wordsPath}: ${cause.message}` : messageOf(cause), cause);
  }
}

async function unpackAll(
  file: string,
  target: string,
  location: string,
  budget: UnpackingBudget,
): Promise<readonly StoredFile[]> {
  const entries = scanArchive(file, 'PORTABLE').filter(({ isDirectory }) => !isDirectory);
  const bytes = entries.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  spend(budget, entries.length, bytes);
  return mapInBatches(entries, FILES_AT_ONCE, async (entry) => {
    const stored = `${location}/${entry.name}`;
    const digests = await extractEntry(file, entry, path.join(target, stored), ['sha256']);
    return { path: stored, sizeBytes: entry.sizeBytes, sha256: digests.get('sha256') ?? '' };
  });
}

function spend(budget: UnpackingBudget, entries: number, bytes: number): void {
  budget.entries -= entries;
  budget.bytes -= bytes;
  if (budget.entries >= 0 && budget.bytes >= 0) return;
  throw new DeploymentError('NOT_A_JAR', 'the bundles of the package exceed the limits of bytes or entries');
}

/**
 * Maps items in batches: the items of one batch run concurrently, and the results keep the order of the items.
 *
 * @throws the first error of a batch; later batches do not begin
 */
export async function mapInBatches<T, R>(
  items: readonly T[],
  size: number,
  act: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await Promise.all(items.slice(start, start + size).map(act))));
  }
  return results;
}
