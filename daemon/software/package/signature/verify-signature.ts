import { createHash } from 'node:crypto';

import { DeploymentError } from '../deployment-error.ts';
import { parseManifest } from '../manifest.ts';
import type { Headers, Manifest } from '../manifest.ts';
import type { SignaturePolicy, SignatureVerdict } from './signer-trust.ts';

export interface SignedPackage {
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  /** Signature files and blocks, by name. */
  readonly signatureFiles: ReadonlyMap<string, Buffer>;
  /** Entries that a signature must cover. */
  readonly paths: readonly string[];
  readonly signaturePolicy: SignaturePolicy;
  readonly trustedCertificates: readonly string[];
  readonly nowMs: number;
}

/** Verdict on the signature of a package, and the digests that its entries must have. */
export interface PackageSignature {
  readonly verdict: SignatureVerdict;
  /** Digests of each signed entry, lower-case hexadecimal, by algorithm. */
  readonly digests: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

// Names in the JAR File Specification and in Node.js. Weaker algorithms are not accepted.
const ALGORITHMS = [
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
] as const;

/**
 * Verifies the signature of a package (JAR File Specification, Signed JAR File): the block must sign the signature file, the
 * signature file must have the digest of the whole manifest, and the manifest the digests of every entry.
 *
 * A package with an invalid signature is refused under every policy. The policy decides on packages that are not signed, and
 * on signers that are not trusted.
 *
 * @throws {DeploymentError} `SIGNING_ERROR`
 */
export async function verifyPackageSignature(signed: SignedPackage): Promise<PackageSignature> {
  const { manifest, signatureFiles, paths, signaturePolicy } = signed;
  if (signatureFiles.size === 0) {
    if (signaturePolicy === 'require') throw refuse('the package is not signed');
    return { verdict: { state: 'UNSIGNED' }, digests: new Map() };
  }
  const digests = new Map(paths.map((path) => [path, readDigests(manifest, path)]));
  const verdict = await verifySigners(signed);
  if (signaturePolicy === 'require' && verdict.state === 'UNTRUSTED') throw refuse(verdict.reason);
  return { verdict, digests };
}

/** Verifies every signature: none may be invalid, and one trusted signer is enough. */
async function verifySigners(signed: SignedPackage): Promise<SignatureVerdict> {
  const { signatureFiles, trustedCertificates, nowMs } = signed;
  // Imported for signed packages only: pkijs is large.
  const { verifySignatureBlock } = await import('./signature-block.ts');
  let verdict: SignatureVerdict = { state: 'UNTRUSTED', reason: 'the package has no signer' };
  for (const [name, content] of signatureFiles) {
    if (!/\.SF$/i.test(name)) continue;
    const base = name.slice(0, -'.SF'.length);
    const block = ['RSA', 'EC', 'DSA']
      .map((extension) => signatureFiles.get(`${base}.${extension}`))
      .find((found) => found !== undefined);
    if (block === undefined) throw refuse(`the signature file ${name} has no signature block`);
    checkManifestDigest(name, content, signed.manifestBytes);
    const signer = await verifySignatureBlock({ block, content, trustedCertificates, nowMs });
    if (verdict.state !== 'TRUSTED') verdict = signer;
  }
  return verdict;
}

function checkManifestDigest(name: string, content: Uint8Array, manifestBytes: Uint8Array): void {
  const { main } = parseManifest(content);
  const found = listDigests(main, '-digest-manifest');
  if (found.size === 0)
    throw refuse(`the signature file ${name} has no digest of the manifest in a supported algorithm`);
  for (const [algorithm, digest] of found) {
    if (createHash(algorithm).update(manifestBytes).digest('hex') !== digest) {
      throw refuse(`the manifest does not match its signature in ${name}`);
    }
  }
}

function readDigests({ sections }: Manifest, path: string): ReadonlyMap<string, string> {
  const section = sections.find(({ name }) => name === path);
  const found = section === undefined ? new Map<string, string>() : listDigests(section.headers, '-digest');
  if (found.size === 0) throw refuse(`the signature does not cover the entry "${path}"`);
  return found;
}

function listDigests(headers: Headers, suffix: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, algorithm] of ALGORITHMS) {
    const text = headers.get(`${name}${suffix}`);
    if (text !== undefined) found.set(algorithm, Buffer.from(text.trim(), 'base64').toString('hex'));
  }
  return found;
}

function refuse(detail: string): DeploymentError {
  return new DeploymentError('SIGNING_ERROR', detail);
}
