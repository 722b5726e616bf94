import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { extendedKeyUsage, keyUsage } from './certificate-extension.ts';
import type { Extension } from './certificate-extension.ts';
import { CertificateFiles } from './certificate-files.ts';
import { buildZip } from './zip-builder.ts';
import type { ZipPart } from './zip-builder.ts';
import { programOf } from './tools.ts';

/** Key and certificate of a signer, as files. */
export interface Signer {
  readonly keyFile: string;
  readonly certificateFile: string;
  /** PEM. */
  readonly certificate: string;
  /** Extension of the signature block. */
  readonly extension: 'RSA' | 'EC';
}

export interface SignerOptions {
  readonly name?: string;
  readonly key?: 'P-256' | 'rsa:1024' | 'rsa:2048';
  /** Signs the certificate; absent: it is signed by itself. */
  readonly issuer?: Signer;
  readonly extensions?: readonly Extension[];
  /** Certified instead of the one that belongs to the key. */
  readonly publicKey?: Uint8Array;
}

/** Creates a signer. */
export function makeSigner(directory: string, options: SignerOptions = {}): Signer {
  const { name = 'Package signer', key = 'rsa:2048', issuer } = options;
  const { extensions = [keyUsage('digitalSignature'), extendedKeyUsage('codeSigning')] } = options;
  const certificates = new CertificateFiles(directory);
  const base = name.replaceAll(' ', '-');
  const { publicKey } = options;
  const description = { subject: name, key, extensions, ...(publicKey === undefined ? {} : { publicKey }) };
  if (issuer === undefined) certificates.makeSelfSigned(base, description);
  else certificates.issue(path.basename(issuer.certificateFile, '.crt'), base, description);
  const [keyFile, certificateFile] = [certificates.file(`${base}.key`), certificates.file(`${base}.crt`)];
  const certificate = readFileSync(certificateFile, 'utf8');
  return { keyFile, certificateFile, certificate, extension: key === 'P-256' ? 'EC' : 'RSA' };
}

export interface SigningOptions {
  /** Digest of the signature block; the digests in the manifest are SHA-256. */
  readonly digest?: string;
  /** Changes the manifest once it has its digests, before it is signed. */
  readonly changeManifest?: (text: string) => string;
  /** Changes the signature file before it is signed. */
  readonly changeSignatureFile?: (text: string) => string;
  /** Certificates that come along. */
  readonly chain?: readonly Signer[];
}

/** Adds digests and a signature, made by OpenSSL, to the entries of a package. */
export function signParts(
  directory: string,
  parts: readonly ZipPart[],
  signer: Signer,
  options: SigningOptions = {},
): readonly ZipPart[] {
  const { digest = 'sha256', chain = [] } = options;
  const [manifest, ...others] = parts;
  const keep = (text: string): string => text;
  const { changeManifest = keep, changeSignatureFile = keep } = options;
  const manifestText = changeManifest(addDigests(String(manifest?.content ?? ''), others));
  const hash = createHash('sha256').update(manifestText).digest('base64');
  const signatureFile = changeSignatureFile(
    `Signature-Version: 1.0\r\nSHA-256-Digest-Manifest: ${hash}\r\n\r\n`,
  );
  const [input, output] = ['signature.SF', 'signature.block'].map((name) => path.join(directory, name));
  writeFileSync(input ?? '', signatureFile);
  const chainFile = path.join(directory, 'chain.pem');
  writeFileSync(chainFile, chain.map(({ certificate }) => certificate).join(''));
  const what = ['-in', input ?? '', '-out', output ?? '', ...chain.flatMap(() => ['-certfile', chainFile])];
  const who = ['-signer', signer.certificateFile, '-inkey', signer.keyFile];
  openssl(['cms', '-sign', '-binary', '-noattr', '-md', digest, '-outform', 'DER', ...what, ...who]);
  return [
    { name: 'META-INF/MANIFEST.MF', content: manifestText },
    { name: 'META-INF/SIGNER.SF', content: signatureFile },
    { name: `META-INF/SIGNER.${signer.extension}`, content: readFileSync(output ?? '') },
    ...others,
  ];
}

/** Creates a signed package. */
export function buildSignedPackage(...parameters: Parameters<typeof signParts>): Buffer {
  return buildZip(signParts(...parameters));
}

function addDigests(manifest: string, parts: readonly ZipPart[]): string {
  return parts.reduce((text, { name, content = '' }) => {
    const hash = createHash('sha256').update(content).digest('base64');
    return text.replace(`Name: ${String(name)}\r\n`, (line) => `${line}SHA-256-Digest: ${hash}\r\n`);
  }, manifest);
}

function openssl(parameters: readonly string[]): void {
  execFileSync(programOf('openssl'), parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
}
