import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../base/atomic-file.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { check, formatPath, z } from '../base/schema.ts';
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCertificateAuthority,
  makeRevocationList,
} from '../certificate/certificate-maker.ts';
import type { KeyPair, ServerNames } from '../certificate/certificate-maker.ts';
import { CommandError } from './command-error.ts';
import { describeFailure } from './failure-text.ts';

const certificateRecord = z.strictObject({
  /** Hexadecimal. */
  serialNumber: z.string().regex(/^[0-9a-f]{1,40}$/),
  name: z.string(),
  purpose: z.enum(['client', 'server']),
  /** Milliseconds since the epoch. */
  issuedAtMs: z.int(),
  expiresAtMs: z.int(),
  revokedAtMs: z.int().optional(),
});

const ledgerSchema = z.strictObject({
  revocationListNumber: z.int().min(0),
  certificates: z.array(certificateRecord),
});

/** A certificate that the authority issued. */
export type CertificateRecord = Readonly<z.infer<typeof certificateRecord>>;

/** A new certificate with its key, and what the authority keeps of it. */
export interface IssuedPair extends KeyPair {
  readonly record: CertificateRecord;
}

type Ledger = z.infer<typeof ledgerSchema>;

/** Names of the files in the directory of an authority. */
const AUTHORITY_FILES = {
  certificate: 'ca.crt',
  privateKey: 'ca.key',
  ledger: 'issued.json',
  revocationList: 'ca.crl',
} as const;

/** Keeps a private certificate authority in a directory: its key, and the certificates that it issued and revoked. */
export class AuthorityDirectory {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The directory itself. */
  get directory(): string {
    return this.#directory;
  }

  /** The file of the authority's certificate. */
  get certificateFile(): string {
    return this.#file('certificate');
  }

  /** The file of its revocation list. */
  get revocationListFile(): string {
    return this.#file('revocationList');
  }

  /**
   * Creates the authority.
   *
   * @returns its own certificate
   * @throws {CommandError} when there is one already: a new key would invalidate its certificates
   */
  async create(commonName: string): Promise<Omit<CertificateRecord, 'purpose'>> {
    // The daemon reads certificate and list; the key is for its owner alone.
    await mkdir(this.#directory, { recursive: true, mode: 0o755 });
    if ((await this.#find('certificate')) !== undefined) {
      throw new CommandError({ code: 'AUTHORITY_EXISTS', detail: `${this.certificateFile} exists already` });
    }
    const pair = await makeCertificateAuthority(commonName);
    // The certificate is written last: with it the authority exists.
    await writeFileAtomically(this.#file('privateKey'), pair.privateKey);
    await this.#save({ revocationListNumber: 0, certificates: [] }, pair);
    await writeFileAtomically(this.certificateFile, pair.certificate, 0o644);
    return describeCertificate(pair, commonName);
  }

  /** Reads the certificate of the authority, PEM. */
  async readCertificate(): Promise<string> {
    return this.#get('certificate');
  }

  /** Lists the certificates in the order in which they were issued. */
  async list(): Promise<readonly CertificateRecord[]> {
    return (await this.#readLedger()).certificates;
  }

  /** Issues a certificate that proves an identity of a client. */
  async issueClient(name: string, days?: number): Promise<IssuedPair> {
    return this.#issue(name, 'client', (issuer) => issueClientCertificate(issuer, name, days));
  }

  /** Issues a certificate for the gateway itself. */
  async issueServer(names: ServerNames, days?: number): Promise<IssuedPair> {
    const name = [...names.hostNames, ...names.addresses].join(' ');
    return this.#issue(name, 'server', (issuer) => issueServerCertificate(issuer, names, days));
  }

  /**
   * Revokes every certificate of a name, or the one with a serial number.
   *
   * @returns the certificates that were revoked
   * @throws {CommandError} when no valid certificate matches
   */
  async revoke(nameOrSerialNumber: string): Promise<readonly CertificateRecord[]> {
    const ledger = await this.#readLedger();
    const nowMs = Date.now();
    const isMeant = ({ name, serialNumber, revokedAtMs }: CertificateRecord): boolean =>
      revokedAtMs === undefined && [name, serialNumber].includes(nameOrSerialNumber);
    const revoked = ledger.certificates
      .filter(isMeant)
      .map((record) => Object.assign({}, record, { revokedAtMs: nowMs }));
    if (revoked.length === 0) {
      throw new CommandError({
        code: 'CERTIFICATE_UNKNOWN',
        detail: `no valid certificate has the name or serial number "${nameOrSerialNumber}"`,
      });
    }
    const certificates = ledger.certificates.map(
      (record) => revoked.find(({ serialNumber }) => serialNumber === record.serialNumber) ?? record,
    );
    await this.#save({ ...ledger, certificates }, await this.#readPair());
    return revoked;
  }

  async #issue(
    name: string,
    purpose: CertificateRecord['purpose'],
    make: (issuer: KeyPair) => Promise<KeyPair>,
  ): Promise<IssuedPair> {
    const issuer = await this.#readPair();
    const ledger = await this.#readLedger();
    const pair = await make(issuer);
    const record: CertificateRecord = { ...describeCertificate(pair, name), purpose };
    // Recorded before it is returned: a certificate without a record could never be revoked.
    await this.#writeLedger({ ...ledger, certificates: [...ledger.certificates, record] });
    return { ...pair, record };
  }

  async #save(ledger: Ledger, issuer: KeyPair): Promise<void> {
    const number = ledger.revocationListNumber + 1;
    const revoked = ledger.certificates.flatMap(({ serialNumber, revokedAtMs }) =>
      revokedAtMs === undefined ? [] : [{ serialNumber, revokedAtMs }],
    );
    await this.#writeLedger({ ...ledger, revocationListNumber: number });
    await writeFileAtomically(
      this.revocationListFile,
      await makeRevocationList(issuer, number, revoked),
      0o644,
    );
  }

  async #writeLedger(ledger: Ledger): Promise<void> {
    await writeFileAtomically(this.#file('ledger'), `${JSON.stringify(ledger, null, 2)}\n`);
  }

  async #readLedger(): Promise<Ledger> {
    const text = await this.#get('ledger');
    const { value, faults } = check(ledgerSchema, parseJson(text));
    if (faults === undefined) return value;
    const [fault] = faults;
    const detail = `${this.#file('ledger')}: ${formatPath(fault?.path ?? [])}: ${fault?.message ?? ''}`;
    throw new CommandError({ code: 'LEDGER_INVALID', detail });
  }

  async #readPair(): Promise<KeyPair> {
    return { certificate: await this.#get('certificate'), privateKey: await this.#get('privateKey') };
  }

  async #get(file: keyof typeof AUTHORITY_FILES): Promise<string> {
    const text = await this.#find(file);
    if (text !== undefined) return text;
    const detail = `there is no authority in ${this.#directory}; "penstock certificate init" creates one`;
    throw new CommandError({ code: 'AUTHORITY_MISSING', detail });
  }

  async #find(file: keyof typeof AUTHORITY_FILES): Promise<string | undefined> {
    try {
      return (await readRegularFile(this.#file(file))).toString();
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
      throw new CommandError({ code: 'FILE_UNREADABLE', detail: describeFailure(error), cause: error });
    }
  }

  #file(name: keyof typeof AUTHORITY_FILES): string {
    return path.join(this.#directory, AUTHORITY_FILES[name]);
  }
}

function describeCertificate({ certificate }: KeyPair, name: string): Omit<CertificateRecord, 'purpose'> {
  const { serialNumber, validFromDate, validToDate } = new X509Certificate(certificate);
  return {
    serialNumber: serialNumber.toLowerCase(),
    name,
    issuedAtMs: validFromDate.getTime(),
    expiresAtMs: validToDate.getTime(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
