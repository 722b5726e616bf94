import { access } from 'node:fs/promises';
import path from 'node:path';

/** The `tls` section of the static configuration; null: not given. */
interface TlsFileSettings {
  readonly certificateFile: string | null;
  readonly privateKeyFile: string | null;
  readonly clientCertificateAuthoritiesFile: string | null;
  readonly certificateRevocationListFile: string | null;
}

/** Where the certificate of the server and its key are. */
export interface ServerCertificateFiles {
  readonly certificateFile: string;
  readonly privateKeyFile: string;
}

/** The places where files are looked for that the configuration does not name. */
export interface InstalledTlsFiles extends ServerCertificateFiles {
  readonly clientCertificateAuthoritiesFile: string;
  readonly certificateRevocationListFile: string;
}

/** Returns the places in a directory where an administrator puts certificates. */
export function installedTlsFiles(directory: string): InstalledTlsFiles {
  return {
    ...pairIn(directory),
    clientCertificateAuthoritiesFile: path.join(directory, 'client-ca.pem'),
    certificateRevocationListFile: path.join(directory, 'client-ca.crl'),
  };
}

/** The files that the listeners use. */
export interface TlsFiles extends ServerCertificateFiles {
  /** The daemon creates the server certificate when it is missing; false for a pair that an administrator provides. */
  readonly isOwnCertificate: boolean;
  /** Null: client certificates have no trusted authority. */
  readonly clientCertificateAuthoritiesFile: string | null;
  readonly certificateRevocationListFile: string | null;
}

/**
 * Decides which files the listeners use.
 *
 * - Server certificate and key: those of the settings; else `server.crt` and `server.key` under /etc/penstock/tls when
 *   that `server.crt` exists; else those under `tls` in the data directory, which the daemon makes itself.
 * - Authorities of clients: the file of the settings; else `client-ca.pem` under /etc/penstock/tls when it exists; else none.
 * - Revocation lists: the file of the settings; else `client-ca.crl` under /etc/penstock/tls, when the authorities are those
 *   of that directory and it exists; else none.
 *
 * A file of the settings is used even when it does not exist, so that reading it reports the fault.
 *
 * @param installedDirectory where an administrator puts certificates: /etc/penstock/tls
 */
export async function chooseTlsFiles(
  settings: TlsFileSettings,
  dataDirectory: string,
  installedDirectory: string,
): Promise<TlsFiles> {
  return {
    ...(await chooseServerCertificate(settings, dataDirectory, installedDirectory)),
    ...(await chooseClientTrust(settings, installedTlsFiles(installedDirectory))),
  };
}

/** Returns every place where {@link chooseTlsFiles} looks for files. */
export function listTlsPlaces(
  settings: TlsFileSettings,
  dataDirectory: string,
  installedDirectory: string,
): readonly string[] {
  const installed = installedTlsFiles(installedDirectory);
  const own = pairIn(path.join(dataDirectory, 'tls'));
  const given = [
    settings.certificateFile,
    settings.privateKeyFile,
    settings.clientCertificateAuthoritiesFile,
    settings.certificateRevocationListFile,
  ].filter((file) => file !== null);
  return [
    ...given,
    installed.certificateFile,
    installed.privateKeyFile,
    installed.clientCertificateAuthoritiesFile,
    installed.certificateRevocationListFile,
    own.certificateFile,
    own.privateKeyFile,
  ];
}

async function chooseClientTrust(
  settings: TlsFileSettings,
  installed: InstalledTlsFiles,
): Promise<Pick<TlsFiles, 'clientCertificateAuthoritiesFile' | 'certificateRevocationListFile'>> {
  const { clientCertificateAuthoritiesFile: given, certificateRevocationListFile: givenList } = settings;
  const findPresent = async (file: string): Promise<string | null> => ((await isPresent(file)) ? file : null);
  return {
    clientCertificateAuthoritiesFile:
      given ?? (await findPresent(installed.clientCertificateAuthoritiesFile)),
    // A list of the directory belongs to its authorities.
    certificateRevocationListFile:
      givenList ?? (given === null ? await findPresent(installed.certificateRevocationListFile) : null),
  };
}

async function chooseServerCertificate(
  { certificateFile, privateKeyFile }: TlsFileSettings,
  dataDirectory: string,
  installedDirectory: string,
): Promise<ServerCertificateFiles & { readonly isOwnCertificate: boolean }> {
  if (certificateFile !== null && privateKeyFile !== null) {
    return { certificateFile, privateKeyFile, isOwnCertificate: false };
  }
  const installed = pairIn(installedDirectory);
  if (await isPresent(installed.certificateFile)) return { ...installed, isOwnCertificate: false };
  return { ...pairIn(path.join(dataDirectory, 'tls')), isOwnCertificate: true };
}

function pairIn(directory: string): ServerCertificateFiles {
  return {
    certificateFile: path.join(directory, 'server.crt'),
    privateKeyFile: path.join(directory, 'server.key'),
  };
}

/** Whether there is a file; one that exists but cannot be reached counts, so that reading it reports the fault. */
export async function isPresent(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
