import { readFileSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

import { findProcessWith } from '../../base/process/find-process.ts';
import type { RunningProcess } from '../../base/process/find-process.ts';
import { CommandError } from '../command-error.ts';
import { STORE } from './paths.ts';
import type { GatewayPaths } from './paths.ts';
import { exists } from './switch-folders.ts';
import type { ToOwner } from './unpack.ts';

/** Finds the daemon that uses a data directory; undefined if there is none, or only its user may see it. */
export async function findRunning(data: string): Promise<RunningProcess | undefined> {
  const store = path.join(data, STORE);
  return (await exists(store)) ? findProcessWith(new Set([await realpath(store)])) : undefined;
}

/**
 * Refuses to continue while a daemon uses the state.
 *
 * @throws {CommandError} `GATEWAY_RUNS`
 */
export async function refuseRunning(data: string): Promise<void> {
  const owner = await findRunning(data);
  if (owner === undefined) return;
  const detail =
    `the gateway is running (process ${owner.pid}); nothing was changed. ` +
    'Stop it first: systemctl stop penstock.socket penstock.service';
  throw new CommandError({ code: 'GATEWAY_RUNS', detail });
}

/**
 * Refuses to replace a gateway that was set up. A fresh installation is not: it has its initial password, no certificates
 * and no files of the administrator.
 *
 * @throws {CommandError} `GATEWAY_PRESENT`
 */
export async function refuseExisting({ configuration, data }: GatewayPaths): Promise<void> {
  const found: string[] = [];
  for (const folder of ['tls', 'ca', 'provision.d']) {
    const directory = path.join(configuration, folder);
    if ((await listNames(directory)).length > 0) found.push(directory);
  }
  const hasStore = await exists(path.join(data, STORE));
  if (hasStore && !(await exists(path.join(data, 'initial-admin-password')))) found.push(data);
  if (found.length === 0) return;
  const detail = `nothing was changed: a gateway already exists (${found.join(', ')}); overwrite it with --replace`;
  throw new CommandError({ code: 'GATEWAY_PRESENT', detail });
}

/**
 * Refuses a directory with other content than a gateway, because restoring would remove it. The data directory of a
 * gateway contains its store, the other one its static configuration.
 *
 * @throws {CommandError} `FOLDER_FOREIGN`
 */
export async function refuseForeign(folder: string, ownFile: string): Promise<void> {
  if ((await listNames(folder)).length === 0 || (await exists(path.join(folder, ownFile)))) return;
  const detail = `nothing was changed: ${folder} contains other files and no ${ownFile} of a gateway; empty it or restore elsewhere`;
  throw new CommandError({ code: 'FOLDER_FOREIGN', detail });
}

/**
 * Refuses a directory that cannot be replaced by renaming.
 *
 * @throws {CommandError} `MOUNT_POINT`
 */
export async function refuseMountPoint(folder: string): Promise<void> {
  if (!(await exists(folder))) return;
  const [own, parent] = await Promise.all([stat(folder), stat(path.dirname(folder))]);
  if (own.dev === parent.dev) return;
  const detail = `nothing was changed: ${folder} is a mount point and cannot be replaced as a whole`;
  throw new CommandError({ code: 'MOUNT_POINT', detail });
}

/**
 * Returns a function that maps the user and group of the daemon in the backup to those on this machine. All other owners
 * become the restoring user, because ids of another machine may belong to anyone here.
 */
export async function translateDaemon(
  daemon: { readonly uid: number; readonly gid: number },
  data: string,
): Promise<ToOwner> {
  const here = (await findOwner(data)) ?? findServiceAccount() ?? daemon;
  return (uid, gid) => ({
    // A daemon running as root had no separate user.
    uid: uid === daemon.uid && uid !== 0 ? here.uid : (process.geteuid?.() ?? 0),
    gid: gid === daemon.gid && gid !== 0 ? here.gid : (process.getegid?.() ?? 0),
  });
}

async function findOwner(data: string) {
  return (await exists(data)) ? stat(data) : undefined;
}

/**
 * Finds the account of the service, which the package creates (passwd(5)).
 *
 * @returns undefined if the package is not installed
 */
export function findServiceAccount(
  accounts = '/etc/passwd',
): { readonly uid: number; readonly gid: number } | undefined {
  const line = /^penstock:[^:]*:(\d+):(\d+):/m.exec(readFileSync(accounts, 'utf8'));
  return line === null ? undefined : { uid: Number(line[1]), gid: Number(line[2]) };
}

async function listNames(directory: string): Promise<readonly string[]> {
  return (await exists(directory)) ? readdir(directory) : [];
}
