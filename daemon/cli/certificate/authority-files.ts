import { X509Certificate } from 'node:crypto';
import path from 'node:path';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import { readRegularFile } from '../../base/file/regular-file.ts';
import type { KeyPair } from '../../security/certificate/certificate-issuer.ts';
import { CommandError, describeFailure } from '../command-error.ts';
import { parseLedger } from './authority-ledger.ts';
import type { Ledger } from './authority-ledger.ts';

/** Names of the files in the directory of an authority. */
const NAMES = {
  certificate: 'ca.crt',
  privateKey: 'ca.key',
  ledger: 'issued.json',
  revocationList: 'ca.crl',
} as const;

type FileKind = keyof typeof NAMES;

// The daemon reads certificate and list; the others are for their owner alone.
const MODES: Readonly<Record<FileKind, number>> = {
  certificate: 0o644,
  privateKey: 0o600,
  ledger: 0o600,
  revocationList: 0o644,
};

/** Files of a private certificate authority in their directory. */
export class AuthorityFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Returns the path of a file. */
  at(kind: FileKind): string {
    return path.join(this.directory, NAMES[kind]);
  }

  /** Returns the text of a file; undefined if it does not exist. */
  async find(kind: FileKind): Promise<string | undefined> {
    try {
      return (await readRegularFile(this.at(kind))).toString();
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
      throw new CommandError({ code: 'FILE_UNREADABLE', detail: describeFailure(error), cause: error });
    }
  }

  /** @throws {CommandError} `AUTHORITY_MISSING` */
  async get(kind: FileKind): Promise<string> {
    const text = await this.find(kind);
    if (text !== undefined) return text;
    const detail = `no certificate authority in ${this.directory}; create one with "penstock certificate init"`;
    throw new CommandError({ code: 'AUTHORITY_MISSING', detail });
  }

  /** Replaces a file as a whole. */
  async write(kind: FileKind, content: string): Promise<void> {
    await writeFileAtomically(this.at(kind), content, MODES[kind]);
  }

  /** @throws {CommandError} `AUTHORITY_MISSING`, `LEDGER_INVALID` */
  async readLedger(): Promise<Ledger> {
    return parseLedger(this.at('ledger'), await this.get('ledger'));
  }

  async writeLedger(ledger: Ledger): Promise<void> {
    await this.write('ledger', `${JSON.stringify(ledger, null, 2)}\n`);
  }

  /** @throws {CommandError} `AUTHORITY_MISSING`, also if the key is kept on another machine */
  async readPair(): Promise<KeyPair> {
    const certificate = await this.get('certificate');
    const privateKey = await this.find('privateKey');
    if (privateKey !== undefined) return { certificate, privateKey };
    const detail = `${this.at('privateKey')} is not on this machine; it signs certificates and revocation lists`;
    throw new CommandError({ code: 'AUTHORITY_MISSING', detail });
  }

  async readCertificate(): Promise<X509Certificate> {
    return new X509Certificate(await this.get('certificate'));
  }
}
