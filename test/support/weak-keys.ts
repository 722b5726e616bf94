import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { writeBitString, writeElement, writeObjectIdentifier, writeSequence } from './der-writer.ts';

const EXPONENT = 65_537n;
// The whole SubjectPublicKeyInfo (RFC 5280, 4.1.2.7), and one up to the unused bits of its key.
const P256_INFINITY = Buffer.from('3019301306072a8648ce3d020106082a8648ce3d03010703020000', 'hex');
const ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns a public RSA key of any two numbers. */
export function makeRsaKey(modulus: bigint, exponent = EXPONENT): KeyObject {
  const key = { kty: 'RSA', n: toBase64url(modulus), e: toBase64url(exponent) };
  return createPublicKey({ key, format: 'jwk' });
}

/** Returns the RSA key of Project Wycheproof that a defective library made (CVE-2017-15361). */
export function getRocaKey(): KeyObject {
  const file = path.resolve(import.meta.dirname, '../vectors/json_web_crypto_test.json');
  const { testGroups } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly testGroups: readonly { readonly comment: string; readonly public?: { readonly n: string } }[];
  };
  const key = testGroups.find(({ comment }) => comment === 'jws_rsa_roca_key')?.public;
  if (key === undefined) throw new Error('the vectors hold no such key');
  return createPublicKey({ key, format: 'jwk' });
}

/** Returns an Ed25519 key by the y of its point. */
export function makeEd25519Key(y: bigint): KeyObject {
  const octets = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').toReversed();
  return createPublicKey({ key: Buffer.concat([ED25519, octets]), format: 'der', type: 'spki' });
}

/** Returns the point at infinity of P-256 as a key. */
export function makeInfinityKey(): KeyObject {
  return createPublicKey({ key: P256_INFINITY, format: 'der', type: 'spki' });
}

function toBase64url(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').toString('base64url');
}

/** A SubjectPublicKeyInfo of RSA that holds no key: certificates with it can be read, and the key cannot. */
export function makeUnreadableKey(): Buffer {
  const rsa = writeSequence(writeObjectIdentifier('1.2.840.113549.1.1.1'), writeElement(0x05));
  return writeSequence(rsa, writeBitString(Buffer.from('no key')));
}
