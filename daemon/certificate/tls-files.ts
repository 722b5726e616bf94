import { access } from 'node:fs/promises';
import path from 'node:path';

/** Where an administrator puts certificates, unless the configuration names other files. */
const INSTALLED_TLS_DIRECTORY = '/etc/penstock/tls';

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
 * - Revocation lists: the file of the settings; else none.
 *
 * A file of the settings is used even when it does not exist, so that reading it reports the fault.
 *
 * @param installedDirectory stands for /etc/penstock/tls
 */
export async function chooseTlsFiles(
  settings: TlsFileSettings,
  dataDirectory: string,
  installedDirectory: string = INSTALLED_TLS_DIRECTORY,
): Promise<TlsFiles> {
  const authorities = path.join(installedDirectory, 'client-ca.pem');
  return {
    ...(await chooseServerCertificate(settings, dataDirectory, installedDirectory)),
    clientCertificateAuthoritiesFile:
      settings.clientCertificateAuthoritiesFile ?? ((await isPresent(authorities)) ? authorities : null),
    certificateRevocationListFile: settings.certificateRevocationListFile,
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
  const installed = filesIn(installedDirectory);
  if (await isPresent(installed.certificateFile)) return { ...installed, isOwnCertificate: false };
  return { ...filesIn(path.join(dataDirectory, 'tls')), isOwnCertificate: true };
}

function filesIn(directory: string): ServerCertificateFiles {
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
