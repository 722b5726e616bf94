import { readRegularFile } from '../../base/regular-file.ts';
import { chooseTlsFiles } from '../../certificate/tls-files.ts';
import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { compareLedgerWithList, findOwnList } from '../certificate/authority-ledger.ts';
import type { Finding } from '../machine-checks.ts';
import type { KnownAuthority } from './known-authority.ts';

const MOST_NAMED = 3;

/** Finds certificates that the private authority has revoked, and that the list of the daemon does not name. */
export async function checkRevocations(
  settings: GatewaySettings,
  authority: KnownAuthority | undefined,
  nowMs: number,
): Promise<readonly Finding[]> {
  if (authority === undefined) return [];
  const files = await chooseTlsFiles(settings.tls, settings.dataDirectory, tlsDirectoryOf(settings));
  const { clientCertificateAuthoritiesFile, certificateRevocationListFile: file } = files;
  // Without authorities of clients no certificate is accepted.
  if (clientCertificateAuthoritiesFile === null) return [];
  const list = file === null ? undefined : findOwnList(await readText(file), authority.certificate);
  const { missing } = compareLedgerWithList(authority.records, list);
  const accepted = missing.filter(({ purpose, expiresAtMs }) => purpose === 'client' && expiresAtMs > nowMs);
  if (accepted.length === 0) return [];
  const names = [...new Set(accepted.map(({ name }) => name))];
  const more = names.length - MOST_NAMED;
  const listed = `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
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
    // A list that cannot be read is a finding of the files.
    return '';
  }
}
