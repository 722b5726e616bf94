import { X509Certificate } from 'node:crypto';

import { describeFailure } from '../command-error.ts';
import { readRegularFile } from '../../base/file/regular-file.ts';
import { chooseTlsFiles } from '../../security/certificate/tls-files.ts';
import { loadTlsMaterial } from '../../security/certificate/tls-material.ts';
import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import type { Finding } from '../machine-checks.ts';
import { fetchPortCertificate, toLocalAddress } from '../certificate/port-certificate.ts';
import { compareLedgerWithList, findOwnList } from '../certificate/authority-ledger.ts';
import type { PrivateAuthority } from './private-authority.ts';

/** Connects to each TLS port and compares its certificate with the one on disk. */
export async function checkListeners(settings: GatewaySettings): Promise<readonly Finding[]> {
  const { http, tls, dataDirectory } = settings;
  const files = await chooseTlsFiles(tls, dataDirectory, tlsDirectoryOf(settings));
  const onDisk = await findFingerprint(files.certificateFile);
  // Without a client authority these ports stay closed.
  const clientPorts = files.clientCertificateAuthoritiesFile === null ? [] : http.httpsClientAuthPorts;
  const ports = [...http.httpsPorts, ...clientPorts].filter((port) => port !== 0);
  return Promise.all(ports.map((port) => checkPort(toLocalAddress(http.host), port, { ...files, onDisk })));
}

async function checkPort(
  host: string,
  port: number,
  { certificateFile, onDisk }: { readonly certificateFile: string; readonly onDisk: string | undefined },
): Promise<Finding> {
  const check = `port ${port}`;
  const shown = await fetchPortCertificate(host, port);
  if ('failure' in shown) {
    const advice =
      'another program may use the port (ss -ltnp), or penstock.socket may lack it (systemctl edit penstock.socket)';
    return { check, state: 'WRONG', detail: shown.failure, advice };
  }
  if (onDisk === undefined) return { check, state: 'GOOD', detail: 'it is open' };
  if (shown.fingerprint === onDisk) return { check, state: 'GOOD', detail: `it presents ${certificateFile}` };
  const detail = `it presents another certificate than ${certificateFile}`;
  const advice = 'the daemon refused the new one (journalctl -u penstock), or another program uses the port';
  return { check, state: 'WRONG', detail, advice };
}

/** Checks that the client authorities are usable: not expired, and with current revocation lists. */
export async function checkAuthorities(
  settings: GatewaySettings,
  nowMs: number,
): Promise<readonly Finding[]> {
  const { http, tls, dataDirectory } = settings;
  if (http.httpsClientAuthPorts.length === 0) return [];
  const check = 'authorities of clients';
  const files = await chooseTlsFiles(tls, dataDirectory, tlsDirectoryOf(settings));
  const { clientCertificateAuthoritiesFile: file } = files;
  if (file === null) {
    const detail = 'none installed: no client can authenticate with a certificate';
    return [{ check, state: 'WARNING', detail, advice: 'penstock setup --client NAME' }];
  }
  try {
    const { clientTrust, expiries } = await loadTlsMaterial(files);
    const refused = clientTrust.listRefusedAuthorities(nowMs).map(({ subject, reason }): Finding => ({
      check,
      state: 'WRONG',
      detail: `${subject}: ${reason}, so its certificates are refused`,
      advice: 'install its CA certificate, or a current CRL issued by it',
    }));
    const expired = expiries
      .filter(({ role, expiresAtMs }) => role === 'clientAuthority' && expiresAtMs <= nowMs)
      .map(({ subject }): Finding => ({
        check,
        state: 'WRONG',
        detail: `${subject} has expired`,
        advice: 'install its successor',
      }));
    const wrong = [...refused, ...expired];
    return wrong.length > 0 ? wrong : [{ check, state: 'GOOD', detail: file }];
  } catch (error) {
    const advice = 'fix the file; the daemon keeps the previous ones until it restarts';
    return [{ check, state: 'WRONG', detail: describeFailure(error), advice }];
  }
}

async function findFingerprint(file: string): Promise<string | undefined> {
  try {
    return new X509Certificate(await readRegularFile(file)).fingerprint256;
  } catch {
    return undefined;
  }
}

const MAXIMUM_NAMED = 3;

/** Finds revoked certificates of the private authority that the list of the daemon does not contain. */
export async function checkRevocations(
  settings: GatewaySettings,
  authority: PrivateAuthority | undefined,
  nowMs: number,
): Promise<readonly Finding[]> {
  if (authority === undefined) return [];
  const files = await chooseTlsFiles(settings.tls, settings.dataDirectory, tlsDirectoryOf(settings));
  const { clientCertificateAuthoritiesFile, certificateRevocationListFile: file } = files;
  // Without client authorities no certificate is accepted.
  if (clientCertificateAuthoritiesFile === null) return [];
  const list = file === null ? undefined : findOwnList(await readText(file), authority.certificate);
  const { missing } = compareLedgerWithList(authority.records, list);
  const accepted = missing.filter(({ purpose, expiresAtMs }) => purpose === 'client' && expiresAtMs > nowMs);
  if (accepted.length === 0) return [];
  const names = [...new Set(accepted.map(({ name }) => name))];
  const more = names.length - MAXIMUM_NAMED;
  const listed = `${names.slice(0, MAXIMUM_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const place = file === null ? 'there is no revocation list' : `${file} does not name it`;
  return [
    {
      check: 'revocations',
      state: 'WRONG',
      detail: `the certificate of ${listed} is revoked, and still accepted: ${place}`,
      advice: 'penstock certificate crl, then: systemctl reload penstock',
    },
  ];
}

async function readText(file: string): Promise<string> {
  try {
    return (await readRegularFile(file)).toString();
  } catch {
    // An unreadable list is reported by the check of files.
    return '';
  }
}
