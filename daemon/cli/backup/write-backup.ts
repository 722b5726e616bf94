import { open, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import { syncDirectory } from '../../base/file/atomic-file.ts';
import { measureDisk } from '../../base/file/disk-space.ts';
import { RECORDING_COPY, STORE_COPY } from '../../base/store/store-copy.ts';
import { readVersion } from '../../base/version.ts';
import { CommandError } from '../command-error.ts';
import { copyStore } from '../../interface/configuration/backup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { encryptWithPassphrase } from './age-file.ts';
import { listFile, listTree } from './file-tree.ts';
import type { ArchivedFolder, ListedEntry } from './file-tree.ts';
import { LEFT_OUT_NAME, LeftOutList, formatLeftOut } from './left-out.ts';
import type { LeftOut } from './left-out.ts';
import { EntryVanished } from './open-beneath.ts';
import { MANIFEST_NAME, formatManifest } from './manifest.ts';
import { PARTS, STORE, findDaemonUser, toArchivedFolders } from './paths.ts';
import type { GatewayPaths } from './paths.ts';
import { findServiceAccount } from './existing-gateway.ts';
import { FileShrank, writeTar } from './tar-writer.ts';
import type { TarItem } from './tar-writer.ts';

interface BackupWork {
  /** Output file; an existing one is replaced at the end. */
  readonly file: string;
  readonly paths: GatewayPaths;
  readonly passphrase: string;
  readonly client: RestClient;
  /** Bytes of the disk of the gateway that stay free if recorded samples are in the backup; undefined: they are not. */
  readonly historyReservedBytes: number | undefined;
  readonly signal: AbortSignal;
}

/** Result of a backup. */
interface WrittenBackup {
  /** Number of entries. */
  readonly entries: number;
  readonly leftOut: LeftOut;
}

const ATTEMPTS = 5;

/**
 * Writes a backup of a running gateway: files and store of a single moment. Starts again if files change during the backup, except
 * for bundle data, which may change at any time.
 *
 * @throws {CommandError} `GATEWAY_CHANGES` if files changed in every attempt; leaves no file behind
 */
export async function writeBackup(work: BackupWork): Promise<WrittenBackup> {
  const waiting = `${work.file}.tmp`;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const written = await attemptBackup(work, waiting);
      if (written === undefined) continue;
      await rename(waiting, work.file);
      await syncDirectory(path.dirname(work.file));
      return written;
    }
  } finally {
    await rm(waiting, { force: true });
    await rm(path.join(work.paths.data, STORE_COPY), { force: true });
    await rm(path.join(work.paths.data, RECORDING_COPY), { recursive: true, force: true });
  }
  const detail = 'the gateway was changed during each attempt; nothing was written, try again';
  throw new CommandError({ code: 'GATEWAY_CHANGES', detail });
}

/** Returns undefined if files changed during the backup. */
async function attemptBackup(work: BackupWork, waiting: string): Promise<WrittenBackup | undefined> {
  const { paths, client, signal, historyReservedBytes } = work;
  const hasHistory = historyReservedBytes !== undefined;
  const daemon = await findDaemonUser(paths.data);
  const { steady, changing, recorded } = toArchivedFolders(paths, daemon.uid === findServiceAccount()?.uid);
  try {
    const leftOut = new LeftOutList();
    const before = await listAll(steady, leftOut);
    await client.exchange(copyStore, { parameters: { history: hasHistory }, signal, isEndless: hasHistory });
    const items = [
      describeBackup(daemon),
      ...before,
      await describeStore(paths),
      ...(await listAll(changing, leftOut)),
      ...(hasHistory ? await listAll(recorded, leftOut) : []),
    ];
    if (hasHistory) await checkRoom(work.file, paths.data, items, historyReservedBytes);
    await writeFile(work, waiting, items, leftOut);
    const isSame = toStamp(before) === toStamp(await listAll(steady, new LeftOutList()));
    return isSame ? { entries: items.length, leftOut: leftOut.get() } : undefined;
  } catch (error) {
    if (error instanceof FileShrank || error instanceof EntryVanished) return undefined;
    throw error;
  }
}

/**
 * Checks that a backup with recorded samples fits onto its disk.
 *
 * @throws {CommandError} `FILE_UNWRITABLE`
 */
async function checkRoom(
  file: string,
  data: string,
  items: readonly TarItem[],
  reservedBytes: number,
): Promise<void> {
  const folder = path.dirname(file);
  const [own, daemons, disk] = await Promise.all([stat(folder), stat(data), measureDisk(folder)]);
  const freeBytes = disk.freeBytes - (own.dev === daemons.dev ? reservedBytes : 0);
  const neededBytes = items.reduce((sum, { entry }) => sum + entry.sizeBytes, 0);
  if (neededBytes <= freeBytes) return;
  const [needed, free] = [neededBytes, Math.max(0, freeBytes)].map((bytes) => Math.ceil(bytes / 2 ** 20));
  const detail = `${file} needs ${needed} MiB, and ${free} MiB may be used; nothing was written: free space, choose another disk, or omit --history`;
  throw new CommandError({ code: 'FILE_UNWRITABLE', detail });
}

async function listAll(
  folders: readonly ArchivedFolder[],
  leftOut: LeftOutList,
): Promise<readonly ListedEntry[]> {
  const listed: ListedEntry[] = [];
  for (const folder of folders) listed.push(...(await listTree(folder, leftOut)));
  return listed;
}

// The daemon renames the copy of the store in this directory.
function toStamp(entries: readonly ListedEntry[]): string {
  return entries.map(({ entry, stamp }) => (entry.name === PARTS.data ? '' : stamp)).join('\n');
}

async function writeFile(
  { passphrase, signal }: BackupWork,
  waiting: string,
  items: readonly TarItem[],
  leftOut: LeftOutList,
) {
  await rm(waiting, { force: true });
  const handle = await open(waiting, 'wx', 0o600);
  try {
    await pipeline(
      encryptWithPassphrase(writeTar(endWith(items, leftOut), leftOut), passphrase),
      handle.createWriteStream({ flush: true }),
      {
        signal,
      },
    );
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** Appends the list of omitted entries, which is complete after all other entries. */
function* endWith(items: readonly TarItem[], leftOut: LeftOutList): Generator<TarItem> {
  yield* items;
  const found = leftOut.get();
  if (found.count > 0) yield describeContent(LEFT_OUT_NAME, formatLeftOut(found), Date.now());
}

const OWN = { uid: 0, gid: 0, mode: 0o600, target: '' };

function describeBackup(daemon: Awaited<ReturnType<typeof findDaemonUser>>): TarItem {
  const timeMs = Date.now();
  const content = formatManifest({
    format: 1,
    release: readVersion(),
    timeMs,
    host: hostname(),
    daemon,
  });
  return describeContent(MANIFEST_NAME, content, timeMs);
}

function describeContent(name: string, content: Buffer, timeMs: number): TarItem {
  const mtimeSeconds = Math.floor(timeMs / 1000);
  return { entry: { ...OWN, name, type: 'FILE', sizeBytes: content.length, mtimeSeconds }, content };
}

/** Describes the copy of the store under the name of the store. */
function describeStore({ data }: GatewayPaths): Promise<TarItem> {
  return listFile(data, STORE_COPY, `${PARTS.data}/${STORE}`);
}
