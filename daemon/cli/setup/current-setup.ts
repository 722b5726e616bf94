import type { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';

import { installedTlsFiles } from '../../security/certificate/tls-files.ts';
import type { ServerCertificateFiles } from '../../security/certificate/tls-files.ts';
import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { loadSettingsFile } from '../../settings/settings-file.ts';
import { listIdentities } from '../../interface/security/identities.ts';
import { CommandError } from '../command-error.ts';
import { readSection } from '../../interface/configuration/configuration.ts';
import type { RestClient } from '../client/rest-client.ts';
import { isItem } from '../configuration/setting-edit.ts';
import { findClientFiles, readIssued } from './current-client.ts';
import type { CurrentClient } from './current-client.ts';
import { belongsTo, isIssuedBy, readCertificate, isMissing, readIfExists } from './optional-file.ts';
import type { SetupOptions } from './setup-options.ts';

/** Paths of the files of setup. */
export interface SetupPaths {
  readonly authority: string;
  readonly server: ServerCertificateFiles;
  readonly clientAuthorities: string;
  /** Undefined: the daemon would not read any. */
  readonly revocationLists: string | undefined;
}

/** State of a gateway before `penstock setup`. */
export interface CurrentSetup {
  readonly settings: GatewaySettings;
  readonly paths: SetupPaths;
  /** User and group of the daemon. */
  readonly owner: { readonly uid: number; readonly gid: number };
  /** INITIAL: generated password that must be changed. */
  readonly administrator: 'ABSENT' | 'INITIAL' | 'SET';
  /** Certificate of the private authority. */
  readonly authority: X509Certificate | undefined;
  /** True if the authority exists but its key is on another machine. */
  readonly isAuthorityKeyAway: boolean;
  readonly serverCertificate:
    | {
        readonly isOurs: boolean;
        /** True if its private key exists and matches. */
        readonly hasKey: boolean;
        readonly names: readonly string[];
        readonly days: number;
      }
    | undefined;
  /** Client authorities that the daemon reads: those of setup, others, or none. */
  readonly clientAuthorities: 'OURS' | 'OTHERS' | 'NONE';
  /** True if the revocation list of the daemon matches the ledger of the authority. */
  readonly isRevocationListCurrent: boolean;
  readonly isCertificateLoginOn: boolean;
  readonly clients: ReadonlyMap<string, CurrentClient>;
}

const DAY_MS = 86_400_000;

/**
 * Reads the current state; changes nothing.
 *
 * @throws {SettingsError} if penstock.yaml is invalid
 * @throws {NotReached} if the daemon does not respond
 * @throws {CommandError} if a file cannot be read
 */
export async function readCurrentSetup(
  configFile: string,
  target: SetupOptions,
  client: RestClient,
): Promise<CurrentSetup> {
  const { settings } = await loadSettingsFile(configFile);
  const paths = resolvePaths(settings);
  const authority = await readCertificate(path.join(paths.authority, 'ca.crt'));
  const { userConfig: identities } = await client.call(listIdentities);
  const admin = identities.find(({ userName }) => userName === 'admin');
  const rest = await client.call(readSection, { section: 'rest' });
  const issued = await readIssued(paths, authority);
  const clients = target.clients.map(async (name) => {
    const folder = path.resolve(target.output, name);
    const hasIdentity = identities.some(({ userName }) => userName === name);
    return [name, { hasIdentity, folder, ...(await findClientFiles(folder, name, issued)) }] as const;
  });
  return {
    settings,
    paths,
    owner: await findOwner(settings.dataDirectory),
    administrator: admin === undefined ? 'ABSENT' : admin.passwordChangeNeeded ? 'INITIAL' : 'SET',
    authority,
    isAuthorityKeyAway: authority !== undefined && (await isMissing(path.join(paths.authority, 'ca.key'))),
    serverCertificate: await describeServerCertificate(paths.server, authority),
    clientAuthorities: await findClientAuthorities(paths.clientAuthorities, authority),
    isRevocationListCurrent: issued.isListCurrent,
    isCertificateLoginOn: (isItem(rest) ? rest : {})['statelessCertificateAuthenticationEnabled'] === true,
    clients: new Map(await Promise.all(clients)),
  };
}

/** Returns the files of penstock.yaml, or the default ones of the daemon. */
function resolvePaths(settings: GatewaySettings): SetupPaths {
  const { tls } = settings;
  const directory = tlsDirectoryOf(settings);
  const installed = installedTlsFiles(directory);
  const isInstalled = tls.clientCertificateAuthoritiesFile === null;
  return {
    authority: path.join(path.dirname(directory), 'ca'),
    server: {
      certificateFile: tls.certificateFile ?? installed.certificateFile,
      privateKeyFile: tls.privateKeyFile ?? installed.privateKeyFile,
    },
    clientAuthorities: tls.clientCertificateAuthoritiesFile ?? installed.clientCertificateAuthoritiesFile,
    revocationLists:
      tls.certificateRevocationListFile ??
      (isInstalled ? installed.certificateRevocationListFile : undefined),
  };
}

async function findOwner(directory: string): Promise<CurrentSetup['owner']> {
  try {
    const { uid, gid } = await stat(directory);
    return { uid, gid };
  } catch (error) {
    const detail = `cannot access ${directory}; run this as root`;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail, cause: error });
  }
}

async function describeServerCertificate(
  { certificateFile, privateKeyFile }: ServerCertificateFiles,
  authority: X509Certificate | undefined,
): Promise<CurrentSetup['serverCertificate']> {
  const certificate = await readCertificate(certificateFile);
  if (certificate === undefined) return undefined;
  const key = await readIfExists(privateKeyFile);
  return {
    isOurs: isIssuedBy(certificate, authority),
    hasKey: key !== undefined && belongsTo(key, certificate),
    names: listNames(certificate),
    days: Math.floor((certificate.validToDate.getTime() - Date.now()) / DAY_MS),
  };
}

async function findClientAuthorities(
  file: string,
  authority: X509Certificate | undefined,
): Promise<CurrentSetup['clientAuthorities']> {
  const text = await readIfExists(file);
  if (text === undefined) return 'NONE';
  const ours = authority?.toString().trim();
  return ours !== undefined && text.includes(ours) ? 'OURS' : 'OTHERS';
}

function listNames({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName.split(', ').map((name) => {
    const [kind = '', value = ''] = splitOnce(name);
    return kind === 'IP Address' ? shortenAddress(value) : value;
  });
}

function splitOnce(text: string): readonly string[] {
  const position = text.indexOf(':');
  return [text.slice(0, position), text.slice(position + 1)];
}

// OpenSSL prints full IPv6 addresses; the machine lists compressed ones.
function shortenAddress(address: string): string {
  if (!address.includes(':')) return address;
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}
