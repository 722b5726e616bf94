import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { webcrypto } from 'node:crypto';

import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Extension } from '@peculiar/x509';

import type { CertificateRequest, KeyPair, SigningKeyType } from './certificate-request.ts';

// P-256: 128-bit security, supported by every TLS stack, and handshakes are affordable on a small gateway.
const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
/** Signature algorithm of authorities. */
export const SIGNING_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

const SIGNER_KEY_ALGORITHMS: Readonly<Record<SigningKeyType, KeyAlgorithm>> = {
  'P-256': KEY_ALGORITHM,
  'P-384': { name: 'ECDSA', namedCurve: 'P-384' },
  // NIST SP 800-57 part 1, 5.6.1: 3072 bits match the strength of P-256.
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 3072,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  Ed25519: { name: 'Ed25519' },
};

const SIGNER_SIGNING_ALGORITHMS: Readonly<Record<SigningKeyType, SigningAlgorithm>> = {
  'P-256': SIGNING_ALGORITHM,
  'P-384': { name: 'ECDSA', hash: 'SHA-384' },
  RSA: { name: 'RSASSA-PKCS1-v1_5' },
  Ed25519: { name: 'Ed25519' },
};

const DAY_MS = 86_400_000;

// The clock of a new gateway may be ahead of its clients' clocks.
const CLOCK_ALLOWANCE_MS = 3_600_000;

type KeyAlgorithm = webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams | webcrypto.Algorithm;
type SigningAlgorithm = webcrypto.EcdsaParams | webcrypto.Algorithm;

/** A signing authority. */
interface Issuer {
  readonly name: X509Certificate['subjectName'];
  readonly publicKey: X509Certificate['publicKey'];
  readonly signingKey: webcrypto.CryptoKey;
  readonly notAfterMs: number;
}

/**
 * Creates a key and its certificate (RFC 5280), version 3 with SHA-256.
 *
 * Loading the library takes about twenty megabytes, so only `certificate-process.ts` calls this.
 *
 * @param nowMs milliseconds since the epoch; the validity starts an hour earlier
 */
export async function buildCertificate(request: CertificateRequest, nowMs: number): Promise<KeyPair> {
  const keys = await generateKeys(request);
  const issuer = 'issuer' in request && request.issuer ? await readIssuer(request.issuer) : undefined;
  const notBeforeMs = nowMs - CLOCK_ALLOWANCE_MS;
  const subject = new Name([{ CN: [{ utf8String: request.commonName }] }]);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: makeSerialNumber(),
    subject,
    issuer: issuer?.name ?? subject,
    notBefore: new Date(notBeforeMs),
    // A certificate that outlives its issuer cannot be verified.
    notAfter: new Date(Math.min(notBeforeMs + request.days * DAY_MS, issuer?.notAfterMs ?? Infinity)),
    publicKey: keys.publicKey,
    signingKey: issuer?.signingKey ?? keys.privateKey,
    signingAlgorithm:
      request.kind === 'token-signer' ? SIGNER_SIGNING_ALGORITHMS[request.keyType] : SIGNING_ALGORITHM,
    extensions: [
      ...describePurpose(request),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer?.publicKey ?? keys.publicKey),
    ],
  });
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: await exportPrivateKey(keys.privateKey),
  };
}

async function generateKeys(request: CertificateRequest): Promise<webcrypto.CryptoKeyPair> {
  const algorithm = request.kind === 'token-signer' ? SIGNER_KEY_ALGORITHMS[request.keyType] : KEY_ALGORITHM;
  return (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

function describePurpose(request: CertificateRequest): readonly Extension[] {
  if (request.kind === 'authority') {
    return [
      // Path length 0: the authority issues server and client certificates, but no further authorities.
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ];
  }
  if (request.kind === 'token-signer') {
    // No TLS purpose: a stolen key cannot impersonate a server or client.
    return [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    ];
  }
  const usage = request.kind === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([usage]),
    ...(request.kind === 'server'
      ? [
          new SubjectAlternativeNameExtension([
            ...request.names.hostNames.map((value) => ({ type: 'dns' as const, value })),
            ...request.names.addresses.map((value) => ({ type: 'ip' as const, value })),
          ]),
        ]
      : []),
  ];
}

/** Reads the key pair of a signing authority. */
export async function readIssuer(pair: KeyPair): Promise<Issuer> {
  const certificate = new X509Certificate(pair.certificate);
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    PemConverter.decodeFirst(pair.privateKey),
    KEY_ALGORITHM,
    false,
    ['sign'],
  );
  return {
    name: certificate.subjectName,
    publicKey: certificate.publicKey,
    signingKey,
    notAfterMs: certificate.notAfter.getTime(),
  };
}

/** 126 random bits; the first byte makes the number positive and 16 bytes long (RFC 5280, 4.1.2.2). */
function makeSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

async function exportPrivateKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}
