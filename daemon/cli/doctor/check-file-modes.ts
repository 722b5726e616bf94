import { lstat, readdir } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { chooseTlsFiles } from '../../security/certificate/tls-files.ts';
import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import type { Finding } from '../machine-checks.ts';

const CHECK = 'file modes';
// Secrets are private to their owner; only root and the daemon may change the configuration.
const OTHERS = { readable: 0o077, writable: 0o002 } as const;
const GROUP = { readable: 0, writable: 0o020 } as const;
const MAXIMUM_NAMED = 3;
// Subdirectories of the data directory with secrets; others contain files of packages and administrators.
const SECRET_FOLDERS = ['', 'keys'];

/** Finds secrets readable and configuration files writable by other users. */
export async function checkFileModes(
  configFile: string,
  settings: GatewaySettings,
): Promise<readonly Finding[]> {
  const owners = await findGroups(settings.dataDirectory);
  const secrets = await listSecrets(settings);
  const trusted = await listTrusted(configFile, settings);
  const findings = [
    ...(await findOpen(secrets, 'readable', owners)),
    ...(await findOpen(trusted, 'writable', owners)),
  ];
  if (findings.length > 0) return findings;
  return [{ check: CHECK, state: 'GOOD', detail: 'secrets are private, and the configuration is protected' }];
}

/** Returns the permitted groups of files: those of root and of the daemon. */
async function findGroups(dataDirectory: string): Promise<ReadonlySet<number>> {
  const stats = await look(dataDirectory);
  return new Set([0, ...(stats === undefined ? [] : [stats.gid])]);
}

async function listSecrets(settings: GatewaySettings): Promise<readonly string[]> {
  const { dataDirectory } = settings;
  const kept = await Promise.all(
    SECRET_FOLDERS.map((folder) => listFiles(path.join(dataDirectory, folder), folder !== '')),
  );
  // The daemon itself refuses TLS keys that are readable by others.
  return [path.join(path.dirname(tlsDirectoryOf(settings)), 'ca', 'ca.key'), ...kept.flat()];
}

async function listTrusted(configFile: string, settings: GatewaySettings): Promise<readonly string[]> {
  const directory = path.dirname(path.resolve(configFile));
  const provision = path.join(directory, 'provision.d');
  const tlsDirectory = tlsDirectoryOf(settings);
  const { certificateFile, ...tls } = await chooseTlsFiles(
    settings.tls,
    settings.dataDirectory,
    tlsDirectory,
  );
  const given = [tls.clientCertificateAuthoritiesFile, tls.certificateRevocationListFile];
  return [
    path.resolve(configFile),
    directory,
    provision,
    ...(await listFiles(provision, false)),
    tlsDirectory,
    ...(await listFiles(tlsDirectory, false)),
    certificateFile,
    ...given.filter((file) => file !== null),
    settings.dataDirectory,
  ];
}

async function listFiles(folder: string, isRecursive: boolean): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: isRecursive });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name));
  } catch {
    return [];
  }
}

async function findOpen(
  files: readonly string[],
  what: 'readable' | 'writable',
  groups: ReadonlySet<number>,
): Promise<readonly Finding[]> {
  const open: { readonly file: string; readonly isForAll: boolean }[] = [];
  for (const file of new Set(files)) {
    const stats = await look(file);
    if (stats === undefined || stats.isSymbolicLink()) continue;
    const isForAll = (stats.mode & OTHERS[what]) !== 0;
    const isForGroup = (stats.mode & GROUP[what]) !== 0 && !groups.has(stats.gid);
    if (isForAll || isForGroup) open.push({ file, isForAll });
  }
  return [true, false].flatMap((isForAll) => {
    const names = open.filter((each) => each.isForAll === isForAll).map(({ file }) => file);
    return names.length === 0 ? [] : [describe(names, what, isForAll)];
  });
}

function describe(names: readonly string[], what: 'readable' | 'writable', isForAll: boolean): Finding {
  const more = names.length - MAXIMUM_NAMED;
  const listed = names.slice(0, MAXIMUM_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const detail = `${listed}: ${what} by ${isForAll ? 'other users' : 'another group'} of the machine`;
  const mode = what === 'readable' ? '600' : isForAll ? 'o-w' : 'g-w';
  return { check: CHECK, state: 'WRONG', detail, advice: `chmod ${mode} ${names.join(' ')}` };
}

async function look(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch {
    return undefined;
  }
}
