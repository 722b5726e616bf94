import { X509Certificate } from 'node:crypto';

import { ContentInfo, id_ContentType_SignedData, SignedData } from 'pkijs';
import type { SignedDataVerifyResult } from 'pkijs';

import { DeploymentError } from '../deployment-error.ts';
import { evaluateSigner } from './signer-trust.ts';
import type { SignatureVerdict } from './signer-trust.ts';

interface SignatureBlock {
  /** The block: PKCS #7 SignedData, DER. */
  readonly block: Uint8Array;
  /** The signature file that the block signs. */
  readonly content: Uint8Array;
  /** PEM. */
  readonly trustedCertificates: readonly string[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

// SHA-256, SHA-384 and SHA-512 (RFC 5754, 2).
const DIGEST_ALGORITHMS = new Set(['1', '2', '3'].map((last) => `2.16.840.1.101.3.4.2.${last}`));
const MAXIMUM_CERTIFICATES = 20;

/**
 * Verifies a signature block over a signature file (RFC 5652) and decides whether its signer is trusted.
 *
 * @throws {DeploymentError} `SIGNING_ERROR` when the signature is invalid, or its algorithm too weak
 */
export async function verifySignatureBlock(signed: SignatureBlock): Promise<SignatureVerdict> {
  const signedData = parseBlock(signed.block);
  const signer = await verify(signedData, signed.content);
  const embedded = (signedData.certificates ?? []).flatMap((certificate) =>
    'subjectPublicKeyInfo' in certificate ? [toX509(certificate)] : [],
  );
  return evaluateSigner({
    signer,
    embedded,
    trusted: signed.trustedCertificates.map((pem) => new X509Certificate(pem)),
    nowMs: signed.nowMs,
  });
}

function parseBlock(block: Uint8Array): SignedData {
  try {
    const content = ContentInfo.fromBER(new Uint8Array(block));
    if (content.contentType !== id_ContentType_SignedData) throw refuse('it is not a signature');
    const signedData = new SignedData({ schema: content.content as unknown });
    const [signerInfo] = signedData.signerInfos;
    if (signerInfo === undefined || signedData.signerInfos.length > 1) throw refuse('it needs one signer');
    if (!DIGEST_ALGORITHMS.has(signerInfo.digestAlgorithm.algorithmId))
      throw refuse('its digest is too weak');
    if ((signedData.certificates?.length ?? 0) > MAXIMUM_CERTIFICATES)
      throw refuse('it has too many certificates');
    return signedData;
  } catch (cause) {
    if (cause instanceof DeploymentError) throw cause;
    throw refuse('it cannot be read', cause);
  }
}

async function verify(signedData: SignedData, content: Uint8Array): Promise<X509Certificate> {
  const data = Uint8Array.from(content).buffer;
  let result: SignedDataVerifyResult;
  try {
    result = await signedData.verify({ signer: 0, data, checkChain: false, extendedMode: true });
  } catch (cause) {
    throw refuse('it does not match the package', cause);
  }
  if (result.signatureVerified !== true || !result.signerCertificate)
    throw refuse('it does not match the package');
  return toX509(result.signerCertificate);
}

function toX509(certificate: { toSchema(): { toBER(): ArrayBuffer } }): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(certificate.toSchema().toBER()));
  } catch (cause) {
    // What one library takes for a certificate can be none for OpenSSL.
    throw refuse('it has a certificate that cannot be read', cause);
  }
}

function refuse(what: string, cause?: unknown): DeploymentError {
  return new DeploymentError('SIGNING_ERROR', `the signature of the package is not valid: ${what}`, cause);
}
