import type { X509Certificate } from 'node:crypto';
import path from 'node:path';

import { isPkcs12Of } from '../../security/certificate/pkcs12-owner.ts';
import { AuthorityDirectory } from '../certificate/authority-directory.ts';
import { compareLedgerWithList, findOwnList, normalizeSerial } from '../certificate/authority-ledger.ts';
import type { CertificateRecord } from '../certificate/authority-ledger.ts';
import { CommandError } from '../command-error.ts';
import { listClientFiles } from './client-files.ts';
import {
  belongsTo,
  isIssuedBy,
  readCertificate,
  isMissing,
  readBytesIfExists,
  readIfExists,
} from './optional-file.ts';

/**
 * State of the files of a client.
 *
 * - `OURS`: key and valid certificate; `PKCS12_OUTDATED`: the PKCS #12 file has another certificate
 * - `REVOKED`, `EXPIRING`: the certificate is revoked, or expires soon
 * - `KEY_AWAY`: the client has a valid certificate, but its key is not in the directory
 * - `OTHERS`: another authority issued the certificate
 */
type ClientFileState = 'OURS' | 'PKCS12_OUTDATED' | 'REVOKED' | 'EXPIRING' | 'KEY_AWAY' | 'OTHERS' | 'NONE';

/** Identity and files of a client before `penstock setup`. */
export interface CurrentClient extends FoundClientFiles {
  readonly hasIdentity: boolean;
  readonly folder: string;
}

interface FoundClientFiles {
  readonly files: ClientFileState;
  /** End of a valid certificate, milliseconds since the epoch. */
  readonly validUntilMs?: number;
}

/** Certificates of the authority. */
interface IssuedCertificates {
  readonly authority: X509Certificate | undefined;
  /** Empty if the ledger is on another machine. */
  readonly records: readonly CertificateRecord[];
  readonly revokedSerials: ReadonlySet<string>;
  /** True if the list that the daemon reads is that of the ledger. */
  readonly isListCurrent: boolean;
}

// Certificates that expire within this time are replaced.
const RENEWAL_MS = 30 * 86_400_000;

/** Reads the issued and revoked certificates from the ledger and from the revocation list of the daemon. */
export async function readIssued(
  paths: { readonly authority: string; readonly revocationLists: string | undefined },
  authority: X509Certificate | undefined,
): Promise<IssuedCertificates> {
  const records = authority === undefined ? undefined : await listRecords(paths.authority);
  const file = paths.revocationLists ?? path.join(paths.authority, 'ca.crl');
  const text = await readIfExists(file);
  const list = authority === undefined || text === undefined ? undefined : findOwnList(text, authority);
  const { missing, unexpected } = compareLedgerWithList(records ?? [], list);
  const revoked = (records ?? []).filter(({ revokedAtMs }) => revokedAtMs !== undefined);
  return {
    authority,
    records: records ?? [],
    revokedSerials: new Set([
      ...revoked.map(({ serialNumber }) => normalizeSerial(serialNumber)),
      ...[...(list?.serialNumbers ?? [])].map(normalizeSerial),
    ]),
    isListCurrent:
      records === undefined || (list !== undefined && missing.length === 0 && unexpected.length === 0),
  };
}

/** Returns the state of the certificate of a client and of its files. */
export async function findClientFiles(
  folder: string,
  name: string,
  issued: IssuedCertificates,
): Promise<FoundClientFiles> {
  const files = listClientFiles(folder, name);
  const certificate = (await isMissing(folder)) ? undefined : await readCertificate(files.certificate);
  if (certificate !== undefined && !isIssuedBy(certificate, issued.authority)) return { files: 'OTHERS' };
  const nowMs = Date.now();
  const found = certificate === undefined ? 'NONE' : judge(certificate, issued, nowMs);
  const validUntilMs = certificate?.validToDate.getTime();
  if (certificate !== undefined && validUntilMs !== undefined && found === 'OURS') {
    const key = await readIfExists(files.privateKey);
    if (key === undefined || !belongsTo(key, certificate)) return { files: 'KEY_AWAY', validUntilMs };
    const pkcs12 = await readBytesIfExists(files.pkcs12);
    const isOutdated = pkcs12 !== undefined && !isPkcs12Of(pkcs12, certificate);
    return { files: isOutdated ? 'PKCS12_OUTDATED' : 'OURS' };
  }
  const elsewhere = issued.records.find(
    (record) => record.name === name && isUsable(record) && record.expiresAtMs > nowMs + RENEWAL_MS,
  );
  return elsewhere === undefined
    ? { files: found }
    : { files: 'KEY_AWAY', validUntilMs: elsewhere.expiresAtMs };
}

function judge(
  certificate: X509Certificate,
  { revokedSerials }: IssuedCertificates,
  nowMs: number,
): ClientFileState {
  if (revokedSerials.has(normalizeSerial(certificate.serialNumber))) return 'REVOKED';
  return certificate.validToDate.getTime() > nowMs + RENEWAL_MS ? 'OURS' : 'EXPIRING';
}

function isUsable({ purpose, revokedAtMs, pendingFile }: CertificateRecord): boolean {
  return purpose === 'client' && revokedAtMs === undefined && pendingFile === undefined;
}

async function listRecords(directory: string): Promise<readonly CertificateRecord[] | undefined> {
  try {
    return await new AuthorityDirectory(directory).list();
  } catch (error) {
    if (error instanceof CommandError && error.code === 'AUTHORITY_MISSING') return undefined;
    throw error;
  }
}
