import { X509Certificate } from 'node:crypto';
import path from 'node:path';

import {
  issueClientCertificate,
  issueServerCertificate,
  makeCertificateAuthority,
  makeRevocationList,
} from '../../security/certificate/certificate-issuer.ts';
import type { KeyPair, ServerNames } from '../../security/certificate/certificate-issuer.ts';
import { CommandError } from '../command-error.ts';
import { readIfExists } from '../setup/optional-file.ts';
import type { AuthorityFiles } from './authority-files.ts';
import {
  compareLedgerWithList,
  describeCertificate,
  findOwnList,
  normalizeSerial,
} from './authority-ledger.ts';
import type { CertificateReport } from '../../interface/security/certificates.ts';
import type { CertificateRecord, Ledger } from './authority-ledger.ts';
import { updateInstalledLists } from './installed-list.ts';

/** Delivery of a new certificate to files. */
export interface Delivery {
  /** File written last, which completes the delivery. */
  readonly file: string;
  write(pair: KeyPair): Promise<void>;
}

/** Certificates revoked by a call, and those revoked before. */
export interface Revocation {
  readonly revoked: readonly CertificateRecord[];
  readonly revokedBefore: readonly CertificateRecord[];
}

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/** Private certificate authority, locked against changes by other processes. */
export class LockedAuthority {
  readonly #files: AuthorityFiles;
  #reports: CertificateReport[] = [];
  readonly #recovered: string[] = [];

  constructor(files: AuthorityFiles) {
    this.#files = files;
  }

  /** Returns the changes since the last call, for the audit log. */
  takeReports(): readonly CertificateReport[] {
    const reports = this.#reports;
    this.#reports = [];
    return reports;
  }

  /** Names of the certificates revoked by {@link recover}. */
  get recovered(): readonly string[] {
    return this.#recovered;
  }

  /**
   * Completes the changes of a killed command: revokes an undelivered certificate, and rewrites the revocation list if it
   * differs from the ledger.
   */
  async recover(): Promise<void> {
    if ((await this.#files.find('certificate')) === undefined) return;
    const ledger = await this.#files.readLedger();
    const isPending = ({ pendingFile }: CertificateRecord): boolean => pendingFile !== undefined;
    if (ledger.certificates.some(isPending)) {
      const certificates = await Promise.all(ledger.certificates.map(settleDelivery));
      const lost = certificates.filter(
        ({ revokedAtMs }, index) => revokedAtMs !== ledger.certificates[index]?.revokedAtMs,
      );
      await this.#files.writeLedger({ ...ledger, certificates });
      this.#recovered.push(...lost.map(({ name }) => name));
      this.#note('REVOKED', lost);
    }
    await this.publish();
  }

  /**
   * Creates the authority.
   *
   * @throws {CommandError} `AUTHORITY_EXISTS`: a new key would invalidate its certificates
   */
  async create(commonName: string): Promise<void> {
    if ((await this.#files.find('certificate')) !== undefined) {
      const detail = `${this.#files.at('certificate')} already exists`;
      throw new CommandError({ code: 'AUTHORITY_EXISTS', detail });
    }
    const pair = await makeCertificateAuthority(commonName);
    // The certificate is written last and completes the authority.
    await this.#files.write('privateKey', pair.privateKey);
    await this.#writeList({ revocationListNumber: 0, certificates: [] }, pair);
    await this.#files.write('certificate', pair.certificate);
    const own = { ...describeCertificate(pair.certificate, commonName), purpose: 'authority' as const };
    this.#reports.push({ operation: 'ISSUED', certificates: [own] });
  }

  /** Issues a client certificate for an identity and delivers it. */
  async issueClient(name: string, delivery: Delivery, days?: number): Promise<void> {
    await this.#issue({ name, purpose: 'client' }, delivery, (issuer) =>
      issueClientCertificate(issuer, name, days),
    );
  }

  /** Issues a server certificate for the gateway and delivers it. */
  async issueServer(names: ServerNames, delivery: Delivery, days?: number): Promise<void> {
    const name = [...names.hostNames, ...names.addresses].join(' ');
    await this.#issue({ name, purpose: 'server' }, delivery, (issuer) =>
      issueServerCertificate(issuer, names, days),
    );
  }

  /** Lists the certificates in the order of issue. */
  async list(): Promise<readonly CertificateRecord[]> {
    return (await this.#files.readLedger()).certificates;
  }

  /**
   * Revokes every certificate that matches.
   *
   * @throws {CommandError} `CERTIFICATE_UNKNOWN` if there is none
   */
  async revoke(matches: (record: CertificateRecord) => boolean, described: string): Promise<Revocation> {
    const ledger = await this.#files.readLedger();
    const matching = ledger.certificates.filter(matches);
    if (matching.length === 0) {
      const detail = `no certificate of ${described} in the ledger`;
      throw new CommandError({ code: 'CERTIFICATE_UNKNOWN', detail });
    }
    const revokedAtMs = Date.now();
    const isNew = (record: CertificateRecord): boolean => matches(record) && record.revokedAtMs === undefined;
    const certificates = ledger.certificates.map((record) =>
      isNew(record) ? { ...record, revokedAtMs } : record,
    );
    const revoked = certificates.filter((record) => record.revokedAtMs === revokedAtMs && matches(record));
    if (revoked.length > 0) {
      await this.#files.writeLedger({ ...ledger, certificates });
      this.#note('REVOKED', revoked);
    }
    await this.publish();
    return { revoked, revokedBefore: matching.filter((record) => !isNew(record)) };
  }

  /**
   * Revokes a certificate of this authority, even one that the ledger does not contain.
   *
   * @param file names the origin in the error
   * @throws {CommandError} `CERTIFICATE_UNKNOWN` if another authority issued it
   */
  async revokeCertificate(file: string, certificate: X509Certificate): Promise<Revocation> {
    const authority = await this.#files.readCertificate();
    if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey)) {
      const detail = `${file} was not issued by the authority in ${this.#files.directory}`;
      throw new CommandError({ code: 'CERTIFICATE_UNKNOWN', detail });
    }
    const serialNumber = normalizeSerial(certificate.serialNumber);
    const matches = (record: CertificateRecord): boolean =>
      normalizeSerial(record.serialNumber) === serialNumber;
    const ledger = await this.#files.readLedger();
    if (!ledger.certificates.some(matches)) {
      const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';
      const purpose = isForClients(certificate) ? 'client' : 'server';
      const record = { ...describeCertificate(certificate.toString(), name), purpose } as const;
      await this.#files.writeLedger({ ...ledger, certificates: [...ledger.certificates, record] });
    }
    return this.revoke(matches, file);
  }

  /** Registers a file that will contain a copy of the revocation list. */
  async addInstalledList(file: string): Promise<void> {
    const ledger = await this.#files.readLedger();
    const { installedLists = [] } = ledger;
    if (installedLists.includes(file)) return;
    await this.#files.writeLedger({ ...ledger, installedLists: [...installedLists, file] });
  }

  /**
   * Rewrites the revocation list and its installed copies if they differ from the ledger.
   *
   * @returns the installed copies
   */
  async publish(): Promise<readonly string[]> {
    const ledger = await this.#files.readLedger();
    const text = await this.#files.find('revocationList');
    const list = text === undefined ? undefined : findOwnList(text, await this.#files.readCertificate());
    const { missing, unexpected } = compareLedgerWithList(ledger.certificates, list);
    if (list === undefined || missing.length > 0 || unexpected.length > 0) {
      await this.#writeList(ledger, await this.#files.readPair());
    }
    return updateInstalledLists(this.#files, ledger.installedLists);
  }

  async #issue(
    { name, purpose }: Pick<CertificateRecord, 'name' | 'purpose'>,
    delivery: Delivery,
    make: (issuer: KeyPair) => Promise<KeyPair>,
  ): Promise<void> {
    const pair = await make(await this.#files.readPair());
    const ledger = await this.#files.readLedger();
    const record: CertificateRecord = { ...describeCertificate(pair.certificate, name), purpose };
    // Recorded before delivery: without a record, a certificate could not be revoked by name.
    const pending = { ...record, pendingFile: path.resolve(delivery.file) };
    await this.#files.writeLedger({ ...ledger, certificates: [...ledger.certificates, pending] });
    this.#note('ISSUED', [record]);
    try {
      await delivery.write(pair);
    } catch (error) {
      // Not delivered: revoke it.
      await this.recover();
      throw error;
    }
    await this.#files.writeLedger({ ...ledger, certificates: [...ledger.certificates, record] });
  }

  async #writeList(ledger: Ledger, issuer: KeyPair): Promise<void> {
    const number = ledger.revocationListNumber + 1;
    const revoked = ledger.certificates.flatMap(({ serialNumber, revokedAtMs }) =>
      revokedAtMs === undefined ? [] : [{ serialNumber, revokedAtMs }],
    );
    await this.#files.writeLedger({ ...ledger, revocationListNumber: number });
    await this.#files.write('revocationList', await makeRevocationList(issuer, number, revoked));
  }

  #note(operation: CertificateReport['operation'], certificates: readonly CertificateRecord[]): void {
    if (certificates.length > 0) this.#reports.push({ operation, certificates });
  }
}

function isForClients({ keyUsage }: X509Certificate): boolean {
  return (keyUsage as readonly string[] | undefined)?.includes(CLIENT_AUTHENTICATION) ?? false;
}

/** Settles a pending delivery: delivered if its file contains the certificate, otherwise revoked. */
async function settleDelivery({ pendingFile, ...record }: CertificateRecord): Promise<CertificateRecord> {
  if (pendingFile === undefined || record.revokedAtMs !== undefined) return record;
  const isDelivered = (await readSerial(pendingFile)) === normalizeSerial(record.serialNumber);
  return isDelivered ? record : { ...record, revokedAtMs: Date.now() };
}

async function readSerial(file: string): Promise<string | undefined> {
  try {
    const text = await readIfExists(file);
    return text === undefined ? undefined : normalizeSerial(new X509Certificate(text).serialNumber);
  } catch {
    // Unreadable or invalid: not the delivered certificate.
    return undefined;
  }
}
