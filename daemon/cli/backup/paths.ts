import { stat } from 'node:fs/promises';
import path from 'node:path';

import { STORE_COPY } from '../../base/store/store-copy.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { CommandError } from '../command-error.ts';
import type { ArchivedFolder } from './file-tree.ts';

/** Names of the folders in a backup, and of the store in one of them. */
export const PARTS = { configuration: 'configuration', data: 'data', bundles: 'bundles' } as const;
export const STORE = 'penstock.db';

/** The folders that make a gateway; `bundles` is what those store that run as units of the service manager. */
export type GatewayPaths = Readonly<Record<keyof typeof PARTS, string>>;

const BUNDLES = '/var/lib/private/penstock-bundles';

/**
 * Returns the folders of the gateway with this static configuration.
 *
 * @throws {CommandError} `FOLDERS_NESTED` when one lies in another
 */
export function resolvePaths(configFile: string, { dataDirectory }: GatewaySettings): GatewayPaths {
  const paths = {
    configuration: path.dirname(path.resolve(configFile)),
    data: dataDirectory,
    bundles: BUNDLES,
  };
  const folders = Object.values(paths);
  const nested = folders.find((folder) =>
    folders.some((other) => other !== folder && isBelow(folder, other)),
  );
  if (nested === undefined && paths.configuration !== paths.data) return paths;
  const detail = `${nested ?? paths.data} is in another directory of the gateway; move it out of there first`;
  throw new CommandError({ code: 'FOLDERS_NESTED', detail });
}

/** Whether a path leads to a folder or to something in it. */
export function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

/**
 * Lists the files that settings name outside the folders: a backup does not have them.
 *
 * @param settings the static settings, and the configuration; every setting that is called `file`, or whose name ends in
 *   `File`, names one
 * @returns each once, in the order in which they are named
 */
export function listOutside(paths: GatewayPaths, ...settings: readonly unknown[]): readonly string[] {
  const named = new Set(settings.flatMap(listNamed));
  return [...named].filter(
    (file) => ![paths.configuration, paths.data].some((folder) => isBelow(file, folder)),
  );
}

function listNamed(settings: unknown): readonly string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]: readonly [string, unknown]) => {
    if (typeof value !== 'string') return listNamed(value);
    return /(?:^f|F)ile$/.test(key) && path.isAbsolute(value) ? [value] : [];
  });
}

/** Where the data directory has what bundles store. */
const BUNDLE_DATA = 'packages/data';

// The store is copied by the daemon, and its head belongs to the store of now; the last words and
// the socket are of this process, on this machine.
const NOT_COPIED = new Set([
  `${STORE}-wal`,
  `${STORE}-shm`,
  STORE,
  STORE_COPY,
  `${STORE_COPY}.tmp`,
  'last-words.json',
  'audit-head',
  'penstock.sock',
]);

/**
 * Returns the folders with what belongs to a backup; that of bundles apart, which write to it at any time.
 *
 * @param hasUnits true if the gateway runs bundles as units of the service manager. Only the daemon of the service does; what those
 *   store belongs to no other gateway on the machine
 */
export function toArchivedFolders({ configuration, data, bundles }: GatewayPaths, hasUnits: boolean) {
  const everything = (): boolean => true;
  const isBundleData = (relative: string): boolean => isBelow(relative, BUNDLE_DATA);
  return {
    steady: [
      { name: PARTS.configuration, directory: configuration, isWanted: everything },
      {
        name: PARTS.data,
        directory: data,
        isWanted: (relative) => !NOT_COPIED.has(relative) && !isBundleData(relative),
      },
    ],
    changing: [
      {
        name: PARTS.data,
        directory: data,
        start: BUNDLE_DATA,
        isChanging: true,
        isWanted: everything,
      },
      ...(hasUnits
        ? [{ name: PARTS.bundles, directory: bundles, isChanging: true, isWanted: everything }]
        : []),
    ],
  } satisfies Readonly<Record<string, readonly ArchivedFolder[]>>;
}

/**
 * Finds the user and group that the daemon runs as.
 *
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function findDaemonUser(dataDirectory: string): Promise<{ uid: number; gid: number }> {
  try {
    const { uid, gid } = await stat(dataDirectory);
    return { uid, gid };
  } catch (error) {
    const detail = `cannot access ${dataDirectory}; run this as root`;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail, cause: error });
  }
}
