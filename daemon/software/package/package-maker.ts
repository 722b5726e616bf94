import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { parseManifest } from './manifest.ts';
import { describePackage, MANIFEST_PATH, readSymbolicName, readVersion } from './package-contents.ts';
import { writeSection } from './manifest-writer.ts';
import type { SectionHeaders } from './manifest-writer.ts';
import { PackagingError } from './deployment-error.ts';
import type { ZipTime, ArchiveFile } from './archive/zip-writer.ts';
import { writeZip } from './archive/zip-writer.ts';
import { describeFileFault } from '../../base/file/file-fault.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_UNPACKED_BYTES } from './archive/zip-directory.ts';

/** A bundle of the installed package that a fix package leaves unchanged. */
export interface KeptBundle {
  readonly symbolicName: string;
  readonly version: string;
}

/** Description of the deployment package to make. */
export interface PackageRecipe {
  readonly symbolicName: string;
  readonly version: string;
  /** Range of the installed versions that it fixes; undefined: not a fix package. */
  readonly fixPack?: string | undefined;
  readonly requiredStorageBytes?: string | undefined;
  /** Folders of bundles, each with its `META-INF/MANIFEST.MF`. */
  readonly bundleFolders: readonly string[];
  readonly keptBundles: readonly KeptBundle[];
  /** Folder whose files become resources, under their paths relative to it. */
  readonly resourceFolder?: string | undefined;
  /** Modification time of every file. */
  readonly modified: ZipTime;
}

interface MadeBundle extends ArchiveFile {
  readonly headers: SectionHeaders;
}

/**
 * Creates a deployment package (OSGi Compendium, 114.3): the same content gives the same bytes.
 *
 * The content of the bundles is not checked; `inspectPackage` does that.
 *
 * @throws {PackagingError} for folders that cannot be read, and bundles without a manifest
 * @throws {DeploymentError} `MISSING_HEADER`, `BAD_HEADER` for invalid names, versions and manifests
 */
export async function makePackage(recipe: PackageRecipe): Promise<Buffer> {
  const { bundleFolders, keptBundles, resourceFolder, modified } = recipe;
  const bundles: MadeBundle[] = [];
  for (const folder of bundleFolders) bundles.push(await makeBundle(folder, modified));
  const resources = resourceFolder === undefined ? [] : await readFolder(resourceFolder);
  const manifest = Buffer.concat([
    writeSection(describeMain(recipe)),
    ...bundles.map(({ name, headers }) => writeSection({ Name: name, ...headers })),
    ...keptBundles.map((kept) =>
      writeSection({
        Name: toFileName(kept),
        ...describeBundle(kept),
        'DeploymentPackage-Missing': 'true',
      }),
    ),
    ...resources.map(({ name }) => writeSection({ Name: name })),
  ]);
  describePackage(parseManifest(manifest));
  return writeZip([{ name: MANIFEST_PATH, content: manifest }, ...bundles, ...resources], modified);
}

async function makeBundle(folder: string, modified: ZipTime): Promise<MadeBundle> {
  const files = await readFolder(folder);
  const manifest = files.find(({ name }) => name === MANIFEST_PATH);
  if (manifest === undefined) {
    const detail = `${folder} is not the folder of a bundle: it has no ${MANIFEST_PATH}`;
    throw new PackagingError({ code: 'BUNDLE_MANIFEST_MISSING', detail });
  }
  const { main } = parseManifest(manifest.content);
  const bundle = {
    symbolicName: readSymbolicName(main, 'Bundle-SymbolicName'),
    version: readVersion(main, 'Bundle-Version'),
  };
  const content = writeZip([manifest, ...files.filter((file) => file !== manifest)], modified);
  return { name: toFileName(bundle), content, headers: describeBundle(bundle) };
}

function describeMain(recipe: PackageRecipe): SectionHeaders {
  const { symbolicName, version, fixPack, requiredStorageBytes } = recipe;
  return {
    'Manifest-Version': '1.0',
    'DeploymentPackage-SymbolicName': symbolicName,
    'DeploymentPackage-Version': version,
    ...(fixPack === undefined ? {} : { 'DeploymentPackage-FixPack': fixPack }),
    ...(requiredStorageBytes === undefined
      ? {}
      : { 'DeploymentPackage-RequiredStorage': requiredStorageBytes }),
  };
}

function describeBundle({ symbolicName, version }: KeptBundle): SectionHeaders {
  return { 'Bundle-SymbolicName': symbolicName, 'Bundle-Version': version };
}

function toFileName({ symbolicName, version }: KeptBundle): string {
  return `${symbolicName}_${version}.jar`;
}

/**
 * Reads every file below a folder.
 *
 * @returns the files in the order of their paths, which are relative to the folder, with `/`
 * @throws {PackagingError} `FOLDER_UNREADABLE`; `FOLDER_UNSUITABLE` for links and devices, which an archive cannot hold, and
 *   for more files or bytes than a package may hold
 */
async function readFolder(folder: string): Promise<readonly ArchiveFile[]> {
  const names = await listNames(folder);
  const files: ArchiveFile[] = [];
  let bytes = 0;
  for (const name of names) {
    const file = path.join(folder, name);
    bytes += (await attempt(file, () => stat(file))).size;
    if (bytes > MAXIMUM_UNPACKED_BYTES) {
      throw unsuitable(`${folder} holds more than the ${MAXIMUM_UNPACKED_BYTES} bytes of a package`);
    }
    files.push({ name, content: await attempt(file, () => readFile(file)) });
  }
  return files;
}

async function listNames(folder: string): Promise<readonly string[]> {
  const entries = await attempt(folder, () => readdir(folder, { recursive: true, withFileTypes: true }));
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd !== undefined) {
    throw unsuitable(`${path.join(odd.parentPath, odd.name)} is neither a file nor a folder`);
  }
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > MAXIMUM_ENTRIES) throw unsuitable(`${folder} holds more than ${MAXIMUM_ENTRIES} files`);
  return files
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .sort((a, b) => (a < b ? -1 : 1));
}

async function attempt<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const detail = `${file} cannot be read: ${describeFileFault(cause, 'this user')}`;
    throw new PackagingError({ code: 'FOLDER_UNREADABLE', detail, cause });
  }
}

function unsuitable(detail: string): PackagingError {
  return new PackagingError({ code: 'FOLDER_UNSUITABLE', detail });
}
