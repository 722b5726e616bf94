import { access } from 'node:fs/promises';
import path from 'node:path';

/** The `tls` section of the static configuration; null: not set. */
interface TlsFileSettings {
  readonly certificateFile: string | null;
  readonly privateKeyFile: string | null;
  readonly clientCertificateAuthoritiesFile: string | null;
  readonly certificateRevocationListFile: string | null;
}

/** Paths of the server certificate and its key. */
export interface ServerCertificateFiles {
  readonly certificateFile: string;
  readonly privateKeyFile: string;
}

/** Default paths of files that the configuration does not name. */
export interface InstalledTlsFiles extends ServerCertificateFiles {
  readonly clientCertificateAuthoritiesFile: string;
  readonly certificateRevocationListFile: string;
}

/** Returns the paths of administrator-provided files in a directory. */
export function installedTlsFiles(directory: string): InstalledTlsFiles {
  return {
    ...pairIn(directory),
    clientCertificateAuthoritiesFile: path.join(directory, 'client-ca.pem'),
    certificateRevocationListFile: path.join(directory, 'client-ca.crl'),
  };
}

/** TLS files of the listeners. */
export interface TlsFiles extends ServerCertificateFiles {
  /** True if the daemon creates a missing server certificate; false for a pair provided by an administrator. */
  readonly isOwnCertificate: boolean;
  /** Null: no trusted authority for client certificates. */
  readonly clientCertificateAuthoritiesFile: string | null;
  readonly certificateRevocationListFile: string | null;
}

/**
 * Selects the TLS files of the listeners, in this order of precedence:
 *
 * - Server certificate and key: settings; `server.crt` and `server.key` in /etc/penstock/tls if that `server.crt` exists;
 *   those in `tls` of the data directory, which the daemon creates.
 * - Client authorities: settings; `client-ca.pem` in /etc/penstock/tls if it exists; none.
 * - Revocation lists: settings; `client-ca.crl` in /etc/penstock/tls if it exists and the authorities are those of that
 *   directory; none.
 *
 * A file of the settings is selected even if it does not exist, so that reading it reports the error.
 *
 * @param installedDirectory directory of administrator-provided files: /etc/penstock/tls
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

/** Lists all paths that {@link chooseTlsFiles} considers. */
export function listTlsPaths(
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
    // A list in the directory belongs to the authorities there.
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

/** Returns true if a file exists, even if it is inaccessible, so that reading it reports the error. */
export async function isPresent(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
