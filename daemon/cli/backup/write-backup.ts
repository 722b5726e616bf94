import { open, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import { syncDirectory } from '../../base/atomic-file.ts';
import { STORE_COPY } from '../../base/store-copy.ts';
import { readVersion } from '../../base/version.ts';
import { CommandError } from '../command-error.ts';
import type { RestClient } from '../rest-client.ts';
import { encryptWithPassphrase } from './age-file.ts';
import { listTree } from './file-tree.ts';
import type { ArchivedFolder, ListedEntry } from './file-tree.ts';
import { EntryVanished } from './open-beneath.ts';
import { MANIFEST_NAME, formatManifest } from './manifest.ts';
import { PARTS, STORE, findDaemonUser, toArchivedFolders } from './places.ts';
import type { GatewayPlaces } from './places.ts';
import { findServiceAccount } from './present-gateway.ts';
import { FileShrank, writeTar } from './tar-writer.ts';
import type { TarItem } from './tar-writer.ts';

interface BackupWork {
  /** Where the backup is written to; a file that is there is replaced at the end. */
  readonly file: string;
  readonly places: GatewayPlaces;
  readonly passphrase: string;
  readonly client: RestClient;
  readonly signal: AbortSignal;
}

const ATTEMPTS = 5;

/**
 * Writes a backup of a gateway that runs: every file as it was at one moment between the begin and the end, and the store of that
 * moment. When something changes meanwhile, begins again.
 *
 * @returns the number of its entries
 * @throws {CommandError} `GATEWAY_CHANGES` when something changed each time; nothing is left behind then
 */
export async function writeBackup(work: BackupWork): Promise<number> {
  const waiting = `${work.file}.tmp`;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const entries = await attemptBackup(work, waiting);
      if (entries === undefined) continue;
      await rename(waiting, work.file);
      await syncDirectory(path.dirname(work.file));
      return entries;
    }
  } finally {
    await rm(waiting, { force: true });
    await rm(path.join(work.places.data, STORE_COPY), { force: true });
  }
  const detail = 'the gateway was changed while each copy was made; nothing was written, try again';
  throw new CommandError({ code: 'GATEWAY_CHANGES', detail });
}

/** Returns undefined when something changed meanwhile. */
async function attemptBackup(work: BackupWork, waiting: string): Promise<number | undefined> {
  const { places, client, signal } = work;
  const daemon = await findDaemonUser(places.data);
  const { steady, changing } = toArchivedFolders(places, daemon.uid === findServiceAccount()?.uid);
  try {
    const before = await listAll(steady);
    await client.send('POST', '/services/backup/v1/_copyStore', { signal });
    const items = [
      describeBackup(daemon),
      ...before,
      await describeStore(places),
      ...(await listAll(changing)),
    ];
    await writeFile(work, waiting, items);
    const isSame = toStamp(before) === toStamp(await listAll(steady));
    return isSame ? items.length : undefined;
  } catch (error) {
    if (error instanceof FileShrank || error instanceof EntryVanished) return undefined;
    throw error;
  }
}

async function listAll(folders: readonly ArchivedFolder[]): Promise<readonly ListedEntry[]> {
  return (await Promise.all(folders.map(listTree))).flat();
}

// The daemon renames the copy of the store in this directory.
function toStamp(entries: readonly ListedEntry[]): string {
  return entries.map(({ entry, stamp }) => (entry.name === PARTS.data ? '' : stamp)).join('\n');
}

async function writeFile({ passphrase, signal }: BackupWork, waiting: string, items: readonly TarItem[]) {
  await rm(waiting, { force: true });
  const handle = await open(waiting, 'wx', 0o600);
  try {
    await pipeline(
      encryptWithPassphrase(writeTar(items), passphrase),
      handle.createWriteStream({ flush: true }),
      {
        signal,
      },
    );
  } finally {
    await handle.close().catch(() => undefined);
  }
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
  const mtimeSeconds = Math.floor(timeMs / 1000);
  const entry = {
    ...OWN,
    name: MANIFEST_NAME,
    type: 'FILE',
    sizeBytes: content.length,
    mtimeSeconds,
  } as const;
  return { entry, content };
}

/** Describes the copy of the store under the name of the store. */
async function describeStore({ data }: GatewayPlaces): Promise<TarItem> {
  const directory = path.join(data, STORE_COPY);
  const [copy] = await listTree({ name: `${PARTS.data}/${STORE}`, directory, isWanted: () => true });
  if (copy === undefined) throw new EntryVanished(directory);
  return copy;
}
