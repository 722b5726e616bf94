import { createPrivateKey, X509Certificate } from 'node:crypto';

import { BmpString, OctetString } from 'asn1js';
import {
  Attribute,
  AuthenticatedSafe,
  CertBag,
  Certificate,
  PFX,
  PKCS8ShroudedKeyBag,
  PrivateKeyInfo,
  SafeBag,
  SafeContents,
} from 'pkijs';

import type { KeyPair } from './certificate-request.ts';
import { toLocalKeyId } from './pkcs12-owner.ts';
import { checkPkcs12Password } from './pkcs12-password.ts';

interface Pkcs12Request {
  readonly pair: KeyPair;
  /** Issuer certificates, PEM. */
  readonly authorities: readonly string[];
  /** Display name of the entry in programs. */
  readonly friendlyName: string;
  /** Must satisfy `checkPkcs12Password`. */
  readonly password: string;
}

// RFC 7292: bags of keys and certificates; RFC 2985, 5.5: their attributes; RFC 2985: an X.509 certificate.
const OID = {
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
};

// Slows down guessing. The integrity check can also be attacked, so both use the same count. Java and OpenSSL, whose defaults
// are 10000 and 2048, read it without a noticeable delay.
const ITERATIONS = 100_000;
const DIGEST = 'SHA-256';

/**
 * Creates a password-protected PKCS #12 file with a key, its certificate and the issuers (RFC 7292): encrypted with AES-256-CBC under
 * a key of PBKDF2 (RFC 8018), authenticated with HMAC, both with SHA-256.
 *
 * @returns the file, DER
 * @throws {CertificateError} `PASSWORD_UNSUITABLE`
 */
export async function makePkcs12(request: Pkcs12Request): Promise<Buffer> {
  const { pair, authorities, friendlyName } = request;
  checkPkcs12Password(request.password);
  const password = toArrayBuffer(Buffer.from(request.password, 'ascii'));
  const protection = {
    password,
    contentEncryptionAlgorithm: { name: 'AES-CBC', length: 256 },
    hmacHashAlgorithm: DIGEST,
    iterationCount: ITERATIONS,
  };
  const attributes = describeEntry(friendlyName, pair.certificate);
  const key = await shroudKey(pair.privateKey, protection);
  const safe = new AuthenticatedSafe({
    parsedValue: {
      safeContents: [
        { privacyMode: 0, value: contain([toBag(OID.shroudedKeyBag, key, attributes)]) },
        {
          privacyMode: 1,
          value: contain([
            toBag(OID.certificateBag, toCertificateBag(pair.certificate), attributes),
            ...authorities.map((pem) => toBag(OID.certificateBag, toCertificateBag(pem))),
          ]),
        },
      ],
    },
  });
  await safe.makeInternalValues({ safeContents: [{}, protection] });
  const file = new PFX({ parsedValue: { integrityMode: 0, authenticatedSafe: safe } });
  await file.makeInternalValues({
    password,
    iterations: ITERATIONS,
    pbkdf2HashAlgorithm: DIGEST,
    hmacHashAlgorithm: DIGEST,
  });
  return Buffer.from(file.toSchema().toBER());
}

type Protection = Parameters<PKCS8ShroudedKeyBag['makeInternalValues']>[0];

async function shroudKey(pem: string, protection: Protection): Promise<PKCS8ShroudedKeyBag> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  const bag = new PKCS8ShroudedKeyBag({ parsedValue: PrivateKeyInfo.fromBER(toArrayBuffer(der)) });
  await bag.makeInternalValues(protection);
  return bag;
}

function toCertificateBag(pem: string): CertBag {
  const { raw } = new X509Certificate(pem);
  return new CertBag({ certId: OID.x509Certificate, parsedValue: Certificate.fromBER(toArrayBuffer(raw)) });
}

/** Attributes that link key and certificate. */
function describeEntry(friendlyName: string, pem: string): readonly Attribute[] {
  const id = toLocalKeyId(new X509Certificate(pem));
  return [
    new Attribute({ type: OID.friendlyName, values: [new BmpString({ value: friendlyName })] }),
    new Attribute({ type: OID.localKeyId, values: [new OctetString({ valueHex: toArrayBuffer(id) })] }),
  ];
}

function toBag(
  bagId: string,
  bagValue: PKCS8ShroudedKeyBag | CertBag,
  attributes: readonly Attribute[] = [],
): SafeBag {
  return new SafeBag({
    bagId,
    bagValue,
    ...(attributes.length === 0 ? {} : { bagAttributes: [...attributes] }),
  });
}

function contain(safeBags: SafeBag[]): SafeContents {
  return new SafeContents({ safeBags });
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
