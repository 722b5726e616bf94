import { DER_TAG } from '../../daemon/base/text/der.ts';
import {
  writeBitString,
  writeElement,
  writeInteger,
  writeObjectIdentifier,
  writeSequence,
} from './der-writer.ts';

/** An extension of a certificate or revocation list, in DER. */
export type Extension = Buffer;

// RFC 5280, 4.2.1.3, from the first bit on.
const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
] as const;

// RFC 5280, 4.2.1.12.
const PURPOSES = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
} as const;

/** Creates any extension; `value` is the DER that its OCTET STRING holds. */
export function makeExtension(identifier: string, value: Uint8Array, isCritical = false): Extension {
  return writeSequence(
    writeObjectIdentifier(identifier),
    ...(isCritical ? [writeElement(DER_TAG.boolean, Buffer.of(0xff))] : []),
    writeElement(DER_TAG.octetString, value),
  );
}

/** Creates the critical extension for basic constraints: whether the subject is an authority, and how many may follow it. */
export function basicConstraints(isAuthority: boolean, pathLength?: number): Extension {
  const value = [
    ...(isAuthority ? [writeElement(DER_TAG.boolean, Buffer.of(0xff))] : []),
    ...(pathLength === undefined ? [] : [writeInteger(pathLength)]),
  ];
  return makeExtension('2.5.29.19', writeSequence(...value), true);
}

/** Creates the critical extension for the usage of a key. */
export function keyUsage(...usages: readonly (typeof KEY_USAGES)[number][]): Extension {
  const positions = usages.map((usage) => KEY_USAGES.indexOf(usage));
  const octet = positions.reduce((bits, position) => bits | (0x80 >> position), 0);
  // Named bits end with the last one that is set (X.690, 11.2.2).
  return makeExtension('2.5.29.15', writeBitString(Buffer.of(octet), 7 - Math.max(...positions)), true);
}

/** Creates the extension for the purposes of a certificate. */
export function extendedKeyUsage(purpose: keyof typeof PURPOSES): Extension {
  return makeExtension('2.5.29.37', writeSequence(writeObjectIdentifier(PURPOSES[purpose])));
}

/** Creates the extension with the names of a server: host names, addresses of IPv4 and URIs. */
export function subjectAltName(names: {
  readonly dns?: string;
  readonly ip?: string;
  readonly uri?: string;
}): Extension {
  const { dns, ip, uri } = names;
  const name = (choice: number, octets: Uint8Array): Buffer => writeElement(0x80 | choice, octets);
  return makeExtension(
    '2.5.29.17',
    writeSequence(
      ...(dns === undefined ? [] : [name(2, Buffer.from(dns))]),
      ...(uri === undefined ? [] : [name(6, Buffer.from(uri))]),
      ...(ip === undefined ? [] : [name(7, Buffer.from(ip.split('.').map(Number)))]),
    ),
  );
}

/** Extensions of certificates as they should be. */
export const EXTENSIONS = {
  authority: [basicConstraints(true), keyUsage('keyCertSign', 'cRLSign')],
  client: [basicConstraints(false), keyUsage('digitalSignature'), extendedKeyUsage('clientAuth')],
  server: [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    extendedKeyUsage('serverAuth'),
    subjectAltName({ dns: 'localhost', ip: '127.0.0.1' }),
  ],
} as const;
