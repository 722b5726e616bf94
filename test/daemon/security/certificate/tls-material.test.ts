import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { CertificateError } from '../../../../daemon/security/certificate/certificate-error.ts';
import { makeCertificateAuthority } from '../../../../daemon/security/certificate/certificate-issuer.ts';
import type { TlsFiles } from '../../../../daemon/security/certificate/tls-files.ts';
import { loadTlsMaterial } from '../../../../daemon/security/certificate/tls-material.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../../support/certificate-authority.ts';
import { CertificateFiles } from '../../../support/certificate-files.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { makeWaitingPipe } from '../../../support/waiting-pipe.ts';
import { getRocaKey } from '../../../support/weak-keys.ts';

/** Writes a pair that loads; `change` overrides parts of it. */
async function createFiles(t: TestContext, change: Partial<TlsFiles> = {}): Promise<TlsFiles> {
  const pair = await getServerCertificate();
  return {
    certificateFile: write(t, 'server.crt', pair.certificate),
    privateKeyFile: write(t, 'server.key', pair.privateKey),
    isOwnCertificate: false,
    clientCertificateAuthoritiesFile: null,
    certificateRevocationListFile: null,
    ...change,
  };
}

function write(t: TestContext, name: string, content: string, mode = 0o600): string {
  const file = path.join(createTemporaryDirectory(t), name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

/** Creates an empty revocation list of the default authority. */
async function createRevocationList(t: TestContext): Promise<string> {
  const authority = await getCertificateAuthority();
  const directory = createTemporaryDirectory(t);
  const certificates = new CertificateFiles(directory);
  writeFileSync(certificates.file('ca.crt'), authority.certificate);
  writeFileSync(certificates.file('ca.key'), authority.privateKey);
  certificates.makeRevocationList('ca', 'crl.pem');
  return certificates.file('crl.pem');
}

function createWeakPair(t: TestContext): Pick<TlsFiles, 'certificateFile' | 'privateKeyFile'> {
  const certificates = new CertificateFiles(createTemporaryDirectory(t));
  certificates.makeSelfSigned('weak', { key: 'rsa:1024' });
  return { certificateFile: certificates.file('weak.crt'), privateKeyFile: certificates.file('weak.key') };
}

async function assertRefused(files: TlsFiles, code: string, ...named: readonly string[]): Promise<void> {
  await assert.rejects(loadTlsMaterial(files), (error) => {
    assert.ok(error instanceof CertificateError);
    assert.equal(error.code, code);
    for (const file of named) assert.ok(error.detail.includes(file), error.detail);
    return true;
  });
}

test('loadTlsMaterial returns certificate, key, authorities and revocation lists', async (t) => {
  const authorities = [await getCertificateAuthority(), await makeCertificateAuthority('Another')];
  const files = await createFiles(t, {
    clientCertificateAuthoritiesFile: write(
      t,
      'ca.pem',
      `plant\n${authorities.map((authority) => authority.certificate).join('and\n')}`,
    ),
    certificateRevocationListFile: await createRevocationList(t),
  });
  const material = await loadTlsMaterial(files);
  assert.equal(material.clientCertificateAuthorities.length, 2);
  assert.equal(material.certificateRevocationLists.length, 1);
  assert.equal(material.privateKey, (await getServerCertificate()).privateKey);
});

test('loadTlsMaterial keeps the intermediates behind the server certificate', async (t) => {
  const chain = (await getServerCertificate()).certificate + (await getCertificateAuthority()).certificate;
  const material = await loadTlsMaterial(
    await createFiles(t, { certificateFile: write(t, 'chain.crt', chain) }),
  );
  assert.equal(material.certificate, chain);
});

test('a missing file is refused by name', async (t) => {
  for (const key of [
    'certificateFile',
    'privateKeyFile',
    'clientCertificateAuthoritiesFile',
    'certificateRevocationListFile',
  ] as const) {
    const absent = `/nowhere/${key}`;
    await assertRefused(await createFiles(t, { [key]: absent }), 'CERTIFICATE_FILE_UNREADABLE', absent);
  }
});

test('a pipe or device is refused by name, without being opened', async (t) => {
  const pipe = await makeWaitingPipe(t, createTemporaryDirectory(t));
  for (const file of [pipe.file, '/dev/zero']) {
    for (const key of [
      'certificateFile',
      'privateKeyFile',
      'clientCertificateAuthoritiesFile',
      'certificateRevocationListFile',
    ] as const) {
      await assertRefused(await createFiles(t, { [key]: file }), 'CERTIFICATE_FILE_UNREADABLE', file);
    }
  }
  assert.equal(await pipe.takeText(), 'text');
});

test('a key that does not belong to the certificate is refused with both names', async (t) => {
  const { privateKey } = await getClientCertificate('scada');
  const files = await createFiles(t, { privateKeyFile: write(t, 'other.key', privateKey) });
  await assertRefused(files, 'CERTIFICATE_KEY_MISMATCH', files.certificateFile, files.privateKeyFile);
});

for (const mode of [0o640, 0o604, 0o620, 0o601, 0o644]) {
  test(`a private key with mode 0${mode.toString(8)} is refused`, async (t) => {
    const { privateKey } = await getServerCertificate();
    const files = await createFiles(t, { privateKeyFile: write(t, 'open.key', privateKey, mode) });
    await assertRefused(files, 'PRIVATE_KEY_TOO_OPEN', files.privateKeyFile, mode.toString(8));
  });
}

test('a private key with mode 0400 is accepted', async (t) => {
  const { privateKey } = await getServerCertificate();
  const files = await createFiles(t, { privateKeyFile: write(t, 'read-only.key', privateKey, 0o400) });
  await loadTlsMaterial(files);
});

test('a private key that is damaged or has a passphrase is refused', async (t) => {
  const { privateKey } = await getServerCertificate();
  const encrypted = createPrivateKey(privateKey).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  });
  for (const content of ['', 'no key', encrypted.toString()]) {
    const files = await createFiles(t, { privateKeyFile: write(t, 'server.key', content) });
    await assertRefused(files, 'PRIVATE_KEY_INVALID', files.privateKeyFile);
  }
});

test('a damaged certificate is refused', async (t) => {
  const { certificate } = await getServerCertificate();
  for (const content of ['', 'text', certificate.slice(0, 300)]) {
    const files = await createFiles(t, { certificateFile: write(t, 'server.crt', content) });
    await assertRefused(files, 'CERTIFICATE_INVALID', files.certificateFile);
  }
});

test('a certificate with an RSA key of 1024 bits is refused', async (t) => {
  const weak = createWeakPair(t);
  await assertRefused(await createFiles(t, weak), 'KEY_WEAK', weak.certificateFile);
});

test('an authority whose key anyone can compute is refused by the name of its file', async (t) => {
  const certificates = new CertificateFiles(createTemporaryDirectory(t));
  certificates.makeSelfSigned('roca', { publicKey: getRocaKey() });
  const file = certificates.file('roca.crt');
  const files = await createFiles(t, { clientCertificateAuthoritiesFile: file });
  await assertRefused(files, 'KEY_WEAK', file, 'CVE-2017-15361');
});

test('an authorities file without a certificate or with a leaf is refused', async (t) => {
  const leaf = await getClientCertificate('scada');
  const authority = await getCertificateAuthority();
  for (const content of ['', leaf.certificate, authority.certificate + leaf.certificate]) {
    const file = write(t, 'ca.pem', content);
    const files = await createFiles(t, { clientCertificateAuthoritiesFile: file });
    await assertRefused(files, 'CERTIFICATE_AUTHORITIES_INVALID', file);
  }
});

test('a damaged revocation list is refused', async (t) => {
  for (const content of ['', '-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n']) {
    const file = write(t, 'crl.pem', content);
    const files = await createFiles(t, { certificateRevocationListFile: file });
    await assertRefused(files, 'REVOCATION_LIST_INVALID', file);
  }
});

test('no error about a key shows the key', async (t) => {
  const file = write(t, 'server.key', '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n');
  await assert.rejects(loadTlsMaterial(await createFiles(t, { privateKeyFile: file })), (error) => {
    assert.ok(error instanceof CertificateError);
    return !`${error.detail} ${String(error.cause)}`.includes('canary');
  });
});
