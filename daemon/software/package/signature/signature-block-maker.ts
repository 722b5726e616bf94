import type { KeyObject, webcrypto } from 'node:crypto';

import {
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  SignedData,
  SignerInfo,
} from 'pkijs';

import { PackagingError } from '../deployment-error.ts';
import type { PackageSigner } from './signing-key.ts';

interface SigningAlgorithm {
  readonly algorithm: webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams;
  /** Digest with the security strength of the key (NIST SP 800-57 part 1, 5.6.1). */
  readonly digest: string;
}

const CURVES: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { algorithm: { name: 'ECDSA', namedCurve: 'P-256' }, digest: 'SHA-256' },
  secp384r1: { algorithm: { name: 'ECDSA', namedCurve: 'P-384' }, digest: 'SHA-384' },
  secp521r1: { algorithm: { name: 'ECDSA', namedCurve: 'P-521' }, digest: 'SHA-512' },
};
const RSA: SigningAlgorithm = {
  algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  digest: 'SHA-256',
};
const MINIMUM_RSA_BITS = 2048;

/**
 * Creates the signature block of a signature file in a signed JAR (RFC 5652, SignedData without content).
 *
 * @returns the block, DER
 * @throws {PackagingError} `KEY_UNSUITABLE` unless the key is RSA from 2048 bits, or on P-256, P-384 or P-521
 */
export async function makeSignatureBlock(
  signatureFile: Uint8Array,
  { key, certificates }: PackageSigner,
): Promise<Buffer> {
  const { algorithm, digest } = chooseAlgorithm(key);
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  const signingKey = await crypto.subtle.importKey('pkcs8', toArrayBuffer(pkcs8), algorithm, false, ['sign']);
  const embedded = certificates.map(({ raw }) => Certificate.fromBER(toArrayBuffer(raw)));
  const signedData = new SignedData({
    version: 1,
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: ContentInfo.DATA }),
    signerInfos: embedded
      .slice(0, 1)
      .map(
        ({ issuer, serialNumber }) =>
          new SignerInfo({ version: 1, sid: new IssuerAndSerialNumber({ issuer, serialNumber }) }),
      ),
    certificates: embedded,
  });
  await signedData.sign(signingKey, 0, digest, toArrayBuffer(signatureFile));
  const block = new ContentInfo({
    contentType: ContentInfo.SIGNED_DATA,
    content: signedData.toSchema(true),
  });
  return Buffer.from(block.toSchema().toBER());
}

/** Returns the file extension of a block that is signed with this key (JAR File Specification). */
export function getBlockExtension(key: KeyObject): 'RSA' | 'EC' {
  return key.asymmetricKeyType === 'rsa' ? 'RSA' : 'EC';
}

function chooseAlgorithm({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): SigningAlgorithm {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  const chosen = asymmetricKeyType === 'rsa' && modulusLength >= MINIMUM_RSA_BITS ? RSA : CURVES[namedCurve];
  if (chosen !== undefined) return chosen;
  const detail = 'packages are signed with RSA from 2048 bits, or on the curves P-256, P-384 and P-521';
  throw new PackagingError({ code: 'KEY_UNSUITABLE', detail });
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
