import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

import { unpackPackage } from '../../../../../daemon/software/package/unpack-package.ts';
import type {
  SignaturePolicy,
  SignatureVerdict,
} from '../../../../../daemon/software/package/signature/signer-trust.ts';
import { basicConstraints, extendedKeyUsage, keyUsage } from '../../../../support/certificate-extension.ts';
import { listPackageParts } from '../../../../support/package-builder.ts';
import { buildSignedPackage, makeSigner, signParts } from '../../../../support/package-signer.ts';
import type { SigningOptions } from '../../../../support/package-signer.ts';
import { buildZip } from '../../../../support/zip-builder.ts';
import type { ZipPart } from '../../../../support/zip-builder.ts';
import { makeUnreadableKey } from '../../../../support/weak-keys.ts';
import { testsThatNeed } from '../../../../support/tests-that-need.ts';

const { before, test } = testsThatNeed('openssl');

const directory = mkdtempSync(path.join(tmpdir(), 'penstock-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const parts = listPackageParts({
  symbolicName: 'demo',
  bundles: [{ symbolicName: 'com.example.pump', main: 'export {};\n' }],
  resources: { 'conf/settings.xml': '<a/>' },
});
const signer = makeSigner(directory);
const DAY_MS = 86_400_000;

let number = 0;

async function verify(
  bytes: Uint8Array,
  signaturePolicy: SignaturePolicy = 'require',
  trustedCertificates: readonly string[] = [signer.certificate],
  nowMs = Date.now(),
): Promise<SignatureVerdict> {
  const folder = path.join(directory, String((number += 1)));
  mkdirSync(path.join(folder, 'target'), { recursive: true });
  const file = path.join(folder, 'a.dp');
  writeFileSync(file, bytes);
  const target = path.join(folder, 'target');
  const request = { file, sha256: '0'.repeat(64), target, signaturePolicy, trustedCertificates, nowMs };
  return (await unpackPackage(request)).signature;
}

const sign = (options?: SigningOptions): Buffer => buildSignedPackage(directory, parts, signer, options);

test('a package signed by a trusted signer is accepted, with RSA and with ECDSA', async () => {
  assert.deepEqual(await verify(sign()), { state: 'TRUSTED', signer: 'Package signer' });
  const ec = makeSigner(directory, { name: 'EC signer', key: 'P-256' });
  const bytes = buildSignedPackage(directory, parts, ec, { digest: 'sha384' });
  assert.deepEqual(await verify(bytes, 'require', [ec.certificate]), {
    state: 'TRUSTED',
    signer: 'EC signer',
  });
});

test('a signer is trusted through an authority, even by way of an intermediate one in the package', async () => {
  const authorityExtensions = [basicConstraints(true), keyUsage('keyCertSign')];
  const root = makeSigner(directory, { name: 'Root', extensions: authorityExtensions });
  const middle = makeSigner(directory, {
    name: 'Middle',
    issuer: root,
    extensions: authorityExtensions,
  });
  const leaf = makeSigner(directory, {
    name: 'Leaf',
    issuer: middle,
    extensions: [basicConstraints(false), extendedKeyUsage('codeSigning')],
  });
  const bytes = buildSignedPackage(directory, parts, leaf, { chain: [middle] });
  assert.deepEqual(await verify(bytes, 'require', [root.certificate]), { state: 'TRUSTED', signer: 'Leaf' });
  const alone = buildSignedPackage(directory, parts, leaf);
  assert.equal((await verify(alone, 'off', [root.certificate])).state, 'UNTRUSTED');

  const pretended = makeSigner(directory, { name: 'Pretended', issuer: leaf });
  const forged = buildSignedPackage(directory, parts, pretended, { chain: [leaf, middle] });
  assert.equal((await verify(forged, 'off', [root.certificate])).state, 'UNTRUSTED');
});

test('an authority whose key cannot be read leads to no trust, be it in the package or in the list', async () => {
  const extensions = [basicConstraints(true), keyUsage('keyCertSign')];
  const broken = makeSigner(directory, { name: 'Broken', extensions, publicKey: makeUnreadableKey() });
  const leaf = makeSigner(directory, { name: 'Leaf of it', issuer: broken });
  const bytes = buildSignedPackage(directory, parts, leaf, { chain: [broken] });
  for (const trusted of [signer.certificate, broken.certificate]) {
    assert.equal((await verify(bytes, 'off', [trusted])).state, 'UNTRUSTED');
  }
});

test('the policy decides on a package without a trusted signature', async () => {
  const stranger = makeSigner(directory, { name: 'Stranger' });
  const tls = makeSigner(directory, { name: 'Server', extensions: [extendedKeyUsage('serverAuth')] });
  const weak = makeSigner(directory, { name: 'Weak', key: 'rsa:1024' });
  const cases: readonly (readonly [Uint8Array, readonly string[], SignatureVerdict['state'], number?])[] = [
    [buildZip(parts), [signer.certificate], 'UNSIGNED'],
    [buildSignedPackage(directory, parts, stranger), [signer.certificate], 'UNTRUSTED'],
    [sign(), [], 'UNTRUSTED'],
    [buildSignedPackage(directory, parts, tls), [tls.certificate], 'UNTRUSTED'],
    [buildSignedPackage(directory, parts, weak), [weak.certificate], 'UNTRUSTED'],
    [sign(), [signer.certificate], 'UNTRUSTED', Date.now() + 31 * DAY_MS],
    [sign(), [signer.certificate], 'UNTRUSTED', Date.now() - DAY_MS],
  ];
  for (const [bytes, trusted, state, nowMs] of cases) {
    assert.equal((await verify(bytes, 'off', trusted, nowMs)).state, state);
    assert.equal((await verify(bytes, 'warn', trusted, nowMs)).state, state);
    await assert.rejects(verify(bytes, 'require', trusted, nowMs), { reason: 'SIGNING_ERROR' });
  }
});

function replace(
  list: readonly ZipPart[],
  ending: string,
  change: (part: ZipPart) => readonly ZipPart[],
): Buffer {
  return buildZip(list.flatMap((part) => (String(part.name).endsWith(ending) ? change(part) : [part])));
}

let signedParts: readonly ZipPart[];
before(() => {
  signedParts = signParts(directory, parts, signer);
});

const WRONG: readonly (readonly [what: string, bytes: () => Buffer])[] = [
  ['an altered entry', () => replace(signedParts, 'settings.xml', (part) => [{ ...part, content: '<b/>' }])],
  [
    'an altered manifest',
    () =>
      replace(signedParts, '.MF', (part) => [
        { ...part, content: String(part.content).replace('1.0', '1.1') },
      ]),
  ],
  [
    'an altered signature file',
    () =>
      replace(signedParts, '.SF', (part) => [
        { ...part, content: String(part.content).replace('1.0', '1.1') },
      ]),
  ],
  ['no signature block', () => replace(signedParts, '.RSA', () => [])],
  [
    'an invalid signature block',
    () => replace(signedParts, '.RSA', (part) => [{ ...part, content: 'text' }]),
  ],
  [
    'a damaged signature block',
    () => replace(signedParts, '.RSA', (part) => [{ ...part, content: flip(part) }]),
  ],
  [
    'an entry without a digest',
    () => sign({ changeManifest: (text) => text.replace('SHA-256-Digest', 'X-Digest') }),
  ],
  [
    'digests of an insecure algorithm',
    () => sign({ changeManifest: (text) => text.replaceAll('SHA-256-Digest', 'MD5-Digest') }),
  ],
  [
    'a signature file without a digest of the manifest',
    () => sign({ changeSignatureFile: (text) => text.replace('SHA-256', 'SHA-1') }),
  ],
  ['a signature with SHA-1', () => sign({ digest: 'sha1' })],
];

function flip({ content = '' }: ZipPart): Buffer {
  const bytes = Buffer.from(content);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 10) ^ 1, bytes.length - 10);
  return bytes;
}

for (const [what, bytes] of WRONG) {
  test(`a package with ${what} is refused, whatever the policy`, async () => {
    for (const policy of ['off', 'warn', 'require'] as const) {
      await assert.rejects(verify(bytes(), policy), { reason: 'SIGNING_ERROR' }, policy);
    }
  });
}
