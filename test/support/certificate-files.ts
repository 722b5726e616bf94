import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { readElements } from '../../daemon/base/text/der.ts';
import { EXTENSIONS, makeExtension } from './certificate-extension.ts';
import type { Extension } from './certificate-extension.ts';
import {
  writeBitString,
  writeElement,
  writeInteger,
  writeObjectIdentifier,
  writeSequence,
  writeTime,
} from './der-writer.ts';

type Attribute = readonly [type: 'CN' | 'O', value: string];

/** Description of a certificate; everything left out is as it should be. */
export interface CertificateDescription {
  /** The common name, or relative names of one or several attributes each; the name of the files unless given. */
  readonly subject?: string | readonly (readonly Attribute[])[];
  /** Those of a client unless given. */
  readonly extensions?: readonly Extension[];
  /** P-256 unless given; the last one has the exponent 3. */
  readonly key?: 'P-192' | 'P-256' | 'rsa:1024' | 'rsa:2048' | 'rsa:2048:3';
  /** Certified instead of the one that belongs to the key; as SubjectPublicKeyInfo it need not be one. */
  readonly publicKey?: KeyObject | Uint8Array;
  readonly digest?: 'sha1' | 'sha256';
  /** Both as GeneralizedTime, for example `20250101000000Z`; 30 days from now unless given. */
  readonly validity?: readonly [from: string, until: string];
}

const ATTRIBUTES = { CN: '2.5.4.3', O: '2.5.4.10' } as const;
const CRL_NUMBER = '2.5.29.20';
const UTF8_STRING = 0x0c;
const SET = 0x31;
const VERSION_3 = writeElement(0xa0, writeInteger(2));
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

// RFC 3279, 2.2 and RFC 4055, 5.
const SIGNATURE_ALGORITHMS = {
  ec: { sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2' },
  rsa: { sha1: '1.2.840.113549.1.1.5', sha256: '1.2.840.113549.1.1.11' },
} as const;

/**
 * Certificates for tests, also such as no authority issues: each has a name, under which `NAME.crt` and `NAME.key` lie in the
 * directory.
 */
export class CertificateFiles {
  readonly directory: string;
  readonly #revoked = new Map<string, string[]>();

  constructor(directory: string) {
    this.directory = directory;
  }

  file(name: string): string {
    return path.join(this.directory, name);
  }

  /** Creates a self-signed certificate, of an authority unless described otherwise. */
  makeSelfSigned(name: string, certificate: CertificateDescription = {}): void {
    this.#make(name, name, { extensions: EXTENSIONS.authority, ...certificate });
  }

  /** Creates a certificate that another one signs, be that an authority or not. */
  issue(issuer: string, name: string, certificate: CertificateDescription = {}): void {
    this.#make(issuer, name, { extensions: EXTENSIONS.client, ...certificate });
  }

  /** Has the next revocation list of the issuer name the certificate. */
  revoke(issuer: string, name: string): void {
    const { serialNumber } = new X509Certificate(readFileSync(this.file(`${name}.crt`)));
    this.#revoked.set(issuer, [...(this.#revoked.get(issuer) ?? []), serialNumber]);
  }

  /** Writes the revocation list of an authority; in force for a day unless given. */
  makeRevocationList(
    issuer: string,
    file: string,
    [from, until]: readonly [from: string, until: string] = daysFromNow(1),
  ): void {
    const { subject, key } = this.#read(issuer);
    const revoked = (this.#revoked.get(issuer) ?? []).map((serialNumber) =>
      writeSequence(writeInteger(Buffer.from(serialNumber, 'hex')), writeTime(from)),
    );
    const extensions = writeSequence(makeExtension(CRL_NUMBER, writeInteger(1)));
    const list = [
      subject,
      writeTime(from),
      writeTime(until),
      ...(revoked.length === 0 ? [] : [writeSequence(...revoked)]),
      writeElement(0xa0, extensions),
    ];
    // Version 2 (RFC 5280, 5.1.2.1).
    this.#write(file, 'X509 CRL', writeSigned(key, 'sha256', [writeInteger(1)], list));
  }

  #make(issuer: string, name: string, certificate: CertificateDescription): void {
    const { subject = name, extensions = [], key = 'P-256', digest = 'sha256' } = certificate;
    const [from, until] = certificate.validity ?? daysFromNow(30);
    const keys = makeKeys(key);
    const encodedSubject = writeName(typeof subject === 'string' ? [[['CN', subject]]] : subject);
    const signer = issuer === name ? { subject: encodedSubject, key: keys.privateKey } : this.#read(issuer);
    const serialNumber = randomBytes(16);
    serialNumber.writeUInt8((serialNumber.readUInt8() & 0x3f) | 0x40);
    const der = writeSigned(
      signer.key,
      digest,
      [VERSION_3, writeInteger(serialNumber)],
      [
        signer.subject,
        writeSequence(writeTime(from), writeTime(until)),
        encodedSubject,
        encodePublicKey(certificate.publicKey ?? keys.publicKey),
        writeElement(0xa3, writeSequence(...extensions)),
      ],
    );
    this.#write(`${name}.crt`, 'CERTIFICATE', der);
    const pem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(this.file(`${name}.key`), pem, { mode: 0o600 });
  }

  #read(issuer: string): { readonly subject: Uint8Array; readonly key: KeyObject } {
    const { raw } = new X509Certificate(readFileSync(this.file(`${issuer}.crt`)));
    const [certificate] = readElements(raw);
    const [toBeSigned] = readElements(certificate?.content ?? new Uint8Array());
    // Behind version, serial number, algorithm, issuer and validity (RFC 5280, 4.1).
    const subject = readElements(toBeSigned?.content ?? new Uint8Array())[5];
    if (subject === undefined) throw new Error(`${issuer}.crt has no subject`);
    return { subject: subject.encoding, key: createPrivateKey(readFileSync(this.file(`${issuer}.key`))) };
  }

  #write(file: string, label: string, der: Buffer): void {
    const lines = der.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
    writeFileSync(this.file(file), `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`);
  }
}

/** Signs the parts before and after the name of the algorithm, as in certificates and revocation lists. */
function writeSigned(
  key: KeyObject,
  digest: 'sha1' | 'sha256',
  before: readonly Uint8Array[],
  behind: readonly Uint8Array[],
): Buffer {
  const kind = key.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec';
  // RSA has NULL for its parameters, ECDSA has none.
  const parameters = kind === 'rsa' ? [writeElement(0x05)] : [];
  const algorithm = writeSequence(writeObjectIdentifier(SIGNATURE_ALGORITHMS[kind][digest]), ...parameters);
  const toBeSigned = writeSequence(...before, algorithm, ...behind);
  return writeSequence(toBeSigned, algorithm, writeBitString(sign(digest, toBeSigned, key)));
}

function encodePublicKey(key: KeyObject | Uint8Array): Uint8Array {
  return key instanceof Uint8Array ? key : key.export({ type: 'spki', format: 'der' });
}

function writeName(names: readonly (readonly Attribute[])[]): Buffer {
  return writeSequence(
    ...names.map((attributes) => {
      const encoded = attributes.map(([type, value]) =>
        writeSequence(writeObjectIdentifier(ATTRIBUTES[type]), writeElement(UTF8_STRING, Buffer.from(value))),
      );
      // The members of a set are in the order of their octets (X.690, 11.6).
      return writeElement(SET, ...encoded.toSorted((one, other) => one.compare(other)));
    }),
  );
}

function makeKeys(kind: NonNullable<CertificateDescription['key']>) {
  const [type, modulusLength, publicExponent = 65_537] = kind.split(':');
  if (type === 'rsa') {
    return generateKeyPairSync('rsa', {
      modulusLength: Number(modulusLength),
      publicExponent: Number(publicExponent),
    });
  }
  return generateKeyPairSync('ec', { namedCurve: kind === 'P-192' ? 'prime192v1' : 'prime256v1' });
}

function daysFromNow(days: number): readonly [from: string, until: string] {
  const format = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  // OpenSSL asks for whole seconds by a clock that may lag by some milliseconds.
  return [format(Date.now() - MINUTE_MS), format(Date.now() + days * DAY_MS)];
}
