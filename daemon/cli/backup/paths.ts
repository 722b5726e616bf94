import { stat } from 'node:fs/promises';
import path from 'node:path';

import { RECORDING_DIRECTORY, RECORDING_COPY, STORE_COPY } from '../../base/store/store-copy.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { CommandError } from '../command-error.ts';
import type { ArchivedFolder } from './file-tree.ts';

/** Names of the directories in a backup, and of the store. */
export const PARTS = { configuration: 'configuration', data: 'data', bundles: 'bundles' } as const;
export const STORE = 'penstock.db';

/** Directories of a gateway; `bundles` contains the data of bundles that run as systemd units. */
export type GatewayPaths = Readonly<Record<keyof typeof PARTS, string>>;

const BUNDLES = '/var/lib/private/penstock-bundles';

/**
 * Returns the directories of the gateway with this static configuration.
 *
 * @throws {CommandError} `FOLDERS_NESTED` if one contains another
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

/** Returns true for a directory itself and for paths below it. */
export function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

/**
 * Lists configured files outside the directories, which a backup does not contain.
 *
 * @param settings static settings and configuration; every setting named `file` or `…File` is a file
 * @returns unique paths in order of appearance
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

/** Directory of bundle data below the data directory. */
const BUNDLE_DATA = 'packages/data';

// The daemon copies the store; the audit head belongs to the current store; the daemon status and the
// socket belong to the running process.
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
 * Returns the directories of a backup; bundle data separately, because bundles write to it at any time, and the copy of recorded
 * samples, which may not exist.
 *
 * @param hasUnits true if the gateway runs bundles as systemd units. Only the daemon of the service does, so their data
 *   belongs to it
 */
export function toArchivedFolders({ configuration, data, bundles }: GatewayPaths, hasUnits: boolean) {
  const everything = (): boolean => true;
  const isApart = (relative: string): boolean =>
    [BUNDLE_DATA, RECORDING_DIRECTORY].some((folder) => isBelow(relative, folder));
  return {
    recorded: [
      {
        name: `${PARTS.data}/${RECORDING_DIRECTORY}`,
        directory: path.join(data, RECORDING_COPY),
        isWanted: everything,
      },
    ],
    steady: [
      { name: PARTS.configuration, directory: configuration, isWanted: everything },
      {
        name: PARTS.data,
        directory: data,
        isWanted: (relative) => !NOT_COPIED.has(relative) && !isApart(relative),
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
 * Returns the user and group of the daemon.
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
