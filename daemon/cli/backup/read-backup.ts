import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';

import { ensurePrivateDirectory } from '../../base/file/directory.ts';
import { readVersion } from '../../base/version.ts';
import { loadSettingsFile } from '../../settings/settings-file.ts';
import { CommandError } from '../command-error.ts';
import { decryptWithPassphrase } from './age-file.ts';
import { LEFT_OUT_NAME, MAXIMUM_LEFT_OUT_BYTES, parseLeftOut } from './left-out.ts';
import type { LeftOut } from './left-out.ts';
import { MANIFEST_NAME, MAXIMUM_MANIFEST_BYTES, isLaterRelease, parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { PARTS, STORE, resolvePaths } from './paths.ts';
import type { GatewayPaths } from './paths.ts';
import {
  refuseForeign,
  refuseMountPoint,
  refuseExisting,
  refuseRunning,
  translateDaemon,
} from './existing-gateway.ts';
import { refuseOthers } from './refuse-others.ts';
import { stagingPathOf } from './switch-folders.ts';
import { damaged, readTar } from './tar-archive.ts';
import type { TarEntry } from './tar-archive.ts';
import { Unpacking } from './unpack.ts';

interface RestoreWork {
  readonly file: string;
  readonly configFile: string;
  readonly passphrase: string;
  /** True: replace an existing gateway. */
  readonly isReplacing: boolean;
  readonly signal: AbortSignal;
}

/** Unpacked backup, ready to replace a gateway. */
interface UnpackedBackup {
  readonly manifest: Manifest;
  /** Directories to replace. */
  readonly folders: readonly string[];
  /** Entries omitted from the backup. */
  readonly leftOut: LeftOut | undefined;
}

/**
 * Unpacks a backup next to the directories of the gateway and checks it; changes nothing yet. Removes the unpacked files if
 * the backup cannot be used.
 *
 * @throws {CommandError} if it cannot be used
 */
export async function unpackBackup(work: RestoreWork): Promise<UnpackedBackup> {
  const unpacked = new BackupReader(work);
  try {
    return await unpacked.run();
  } catch (error) {
    await unpacked.discard();
    throw error;
  }
}

class BackupReader {
  readonly #work: RestoreWork;
  readonly #parts = new Map<string, { readonly folder: string; readonly unpacking: Unpacking }>();
  readonly #waiting: string[] = [];
  #paths: GatewayPaths | undefined;

  constructor(work: RestoreWork) {
    this.#work = work;
  }

  async run(): Promise<UnpackedBackup> {
    const { file, passphrase } = this.#work;
    await using handle = await open(file);
    const plain = decryptWithPassphrase(handle.createReadStream({ autoClose: false }), passphrase);
    let manifest: Manifest | undefined;
    let leftOut: LeftOut | undefined;
    for await (const { entry, content } of readTar(plain)) {
      if (manifest === undefined) manifest = await readManifest(entry, content);
      else if (entry.name === LEFT_OUT_NAME) leftOut = await readLeftOut(entry, content);
      else await this.#add(entry, content);
    }
    const data = this.#parts.get(PARTS.data)?.folder;
    if (manifest === undefined || data === undefined) throw damaged('it holds no gateway');
    // Users of bundles exist only while the bundle runs; systemd sets the owner of their files.
    const toOwner = await translateDaemon(manifest.daemon, data);
    for (const { unpacking } of this.#parts.values()) await unpacking.finish(toOwner);
    checkStore(path.join(stagingPathOf(data), STORE));
    await this.#refuseOthers();
    // The daemon may have been started during the restore.
    await refuseRunning(data);
    return { manifest, folders: [...this.#parts.values()].map(({ folder }) => folder), leftOut };
  }

  /** Removes the unpacked files. */
  async discard(): Promise<void> {
    for (const folder of this.#waiting) await rm(folder, { recursive: true, force: true });
  }

  async #refuseOthers(): Promise<void> {
    const ownFiles = { [PARTS.configuration]: path.basename(this.#work.configFile), [PARTS.data]: STORE };
    for (const [part, ownFile] of Object.entries(ownFiles)) {
      const folder = this.#parts.get(part)?.folder;
      if (folder !== undefined) await refuseOthers(folder, part, ownFile);
    }
  }

  async #add(entry: TarEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
    const [part = '', ...rest] = entry.name.split('/');
    const known = this.#parts.get(part) ?? (await this.#openPart(part));
    await known.unpacking.add(rest.join('/'), entry, content);
  }

  async #openPart(part: string) {
    const folder = await this.#chooseDirectory(part);
    const waiting = stagingPathOf(folder);
    await refuseMountPoint(folder);
    await ensurePrivateDirectory(path.dirname(folder));
    // From an interrupted restore.
    await rm(waiting, { recursive: true, force: true });
    this.#waiting.push(waiting);
    const opened = { folder, unpacking: new Unpacking(waiting, this.#work.signal) };
    this.#parts.set(part, opened);
    return opened;
  }

  /** Returns the target directory of a part; the static configuration comes first and defines the others. */
  async #chooseDirectory(part: string): Promise<string> {
    const { configFile, isReplacing } = this.#work;
    const configuration = path.dirname(path.resolve(configFile));
    if (part === PARTS.configuration) {
      await refuseForeign(configuration, path.basename(configFile));
      return configuration;
    }
    if (part !== PARTS.data && part !== PARTS.bundles) throw damaged(`it holds an entry named ${part}`);
    if (this.#paths === undefined) {
      const restored = path.join(stagingPathOf(configuration), path.basename(configFile));
      const { settings } = await loadSettingsFile(restored);
      const paths = resolvePaths(configFile, settings);
      await refuseForeign(paths.data, STORE);
      await refuseRunning(paths.data);
      if (!isReplacing) await refuseExisting(paths);
      this.#paths = paths;
    }
    return this.#paths[part];
  }
}

async function readManifest(entry: TarEntry, content: AsyncIterable<Uint8Array>): Promise<Manifest> {
  const isManifest = entry.name === MANIFEST_NAME && entry.sizeBytes <= MAXIMUM_MANIFEST_BYTES;
  if (!isManifest) throw damaged('it is no backup of a gateway');
  const manifest = parseManifest(await readWhole(content));
  const release = readVersion();
  if (!isLaterRelease(manifest.release, release)) return manifest;
  const detail = `the backup was made by release ${manifest.release}, this one is ${release}; install the newer one first`;
  throw new CommandError({ code: 'RELEASE_TOO_OLD', detail });
}

async function readLeftOut(entry: TarEntry, content: AsyncIterable<Uint8Array>): Promise<LeftOut> {
  if (entry.sizeBytes > MAXIMUM_LEFT_OUT_BYTES) throw damaged('its list of what it left out is too long');
  return parseLeftOut(await readWhole(content));
}

async function readWhole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

function checkStore(file: string): void {
  const url = pathToFileURL(file);
  // Otherwise SQLite would create log files next to it.
  url.searchParams.set('immutable', '1');
  try {
    const database = new DatabaseSync(url, { readOnly: true });
    try {
      const [finding] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
      if (finding === 'ok') return;
    } finally {
      database.close();
    }
  } catch (cause) {
    throw new CommandError({
      code: 'STORE_DAMAGED',
      detail: 'the store in the backup cannot be read',
      cause,
    });
  }
  throw new CommandError({ code: 'STORE_DAMAGED', detail: 'the store in the backup is damaged' });
}
