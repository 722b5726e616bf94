import { X509Certificate } from 'node:crypto';
import path from 'node:path';

import { tlsDirectoryOf } from '../../settings/gateway-settings.ts';
import type { GatewaySettings } from '../../settings/gateway-settings.ts';
import { AuthorityDirectory } from '../certificate/authority-directory.ts';
import type { CertificateRecord } from '../certificate/authority-ledger.ts';
import { CommandError } from '../command-error.ts';
import type { Finding } from '../machine-checks.ts';

/** Private authority of a gateway: its certificate and the issued ones. */
export interface PrivateAuthority {
  readonly directory: string;
  readonly certificate: X509Certificate;
  readonly records: readonly CertificateRecord[];
}

/** Reads the authority created by `penstock setup`; returns a finding if it is unreadable. */
export async function findAuthority(
  settings: GatewaySettings,
): Promise<{ readonly authority?: PrivateAuthority; readonly findings: readonly Finding[] }> {
  const check = 'authority';
  const directory = path.join(path.dirname(tlsDirectoryOf(settings)), 'ca');
  const files = new AuthorityDirectory(directory);
  try {
    const certificate = new X509Certificate(await files.readCertificate());
    const records = await files.list();
    return { authority: { directory, certificate, records }, findings: [] };
  } catch (error) {
    if (!(error instanceof CommandError)) {
      const detail = `${files.certificateFile} is not a certificate`;
      const advice = `restore ${directory} from a backup: penstock restore`;
      return { findings: [{ check, state: 'WRONG', detail, advice }] };
    }
    if (error.code === 'AUTHORITY_MISSING') return { findings: [] };
    const isDenied = (error.cause as { readonly code?: unknown } | undefined)?.code === 'EACCES';
    const advice = isDenied ? 'run this as root' : `restore ${directory} from a backup: penstock restore`;
    return { findings: [{ check, state: isDenied ? 'UNKNOWN' : 'WRONG', detail: error.detail, advice }] };
  }
}

/** Lists the certificates of a purpose that are neither revoked nor expired. */
export function listValid(
  { records }: PrivateAuthority,
  purpose: CertificateRecord['purpose'],
  nowMs: number,
): readonly CertificateRecord[] {
  return records.filter(
    (record) => record.purpose === purpose && record.revokedAtMs === undefined && record.expiresAtMs > nowMs,
  );
}
