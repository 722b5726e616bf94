import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { CertificateError } from '../../../../daemon/security/certificate/certificate-error.ts';
import {
  issueClientCertificate,
  issueServerCertificate,
  listLocalNames,
  makeCertificateAuthority,
  makeSelfSignedServerCertificate,
} from '../../../../daemon/security/certificate/certificate-issuer.ts';
import type { KeyPair } from '../../../../daemon/security/certificate/certificate-issuer.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../../support/certificate-authority.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { programOf } from '../../../support/tools.ts';
import { needs } from '../../../support/tests-that-need.ts';

const DAY_MS = 86_400_000;

/** Runs `openssl verify`; throws with its output when it refuses. */
function verify(t: TestContext, anchor: KeyPair, pair: KeyPair, purpose: string): void {
  const directory = createTemporaryDirectory(t);
  const [anchorFile, file] = [path.join(directory, 'anchor.pem'), path.join(directory, 'leaf.pem')];
  writeFileSync(anchorFile, anchor.certificate);
  writeFileSync(file, pair.certificate);
  execFileSync(
    programOf('openssl'),
    ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', anchorFile, file],
    {
      stdio: 'pipe',
    },
  );
}

function openBothOf(pair: KeyPair): X509Certificate {
  const certificate = new X509Certificate(pair.certificate);
  assert.ok(certificate.checkPrivateKey(createPrivateKey(pair.privateKey)));
  return certificate;
}

test(
  'makeSelfSignedServerCertificate creates a server certificate that OpenSSL accepts, for the names of the machine',
  needs('openssl'),
  async (t) => {
    const pair = await makeSelfSignedServerCertificate(listLocalNames('gateway-7'));
    verify(t, pair, pair, 'sslserver');
    const certificate = openBothOf(pair);
    for (const name of ['localhost', 'gateway-7']) assert.equal(certificate.checkHost(name), name);
    for (const address of ['127.0.0.1', '::1']) assert.equal(certificate.checkIP(address), address);
    assert.equal(certificate.ca, false);
    assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  },
);

test('a leaf is valid for 825 days, starting an hour ago', async () => {
  const certificate = openBothOf(await getServerCertificate());
  const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / DAY_MS;
  assert.equal(days, 825);
  assert.ok(Date.now() - certificate.validFromDate.getTime() >= 3_600_000);
});

test('makeCertificateAuthority creates an authority that OpenSSL accepts', needs('openssl'), async (t) => {
  const authority = await makeCertificateAuthority('Plant authority');
  verify(t, authority, authority, 'any');
  const certificate = openBothOf(authority);
  assert.equal(certificate.ca, true);
  assert.equal(certificate.subject, 'CN=Plant authority');
});

test(
  'issueClientCertificate creates a certificate that OpenSSL accepts for a client and refuses for a server',
  needs('openssl'),
  async (t) => {
    const authority = await getCertificateAuthority();
    const pair = await getClientCertificate('scada');
    verify(t, authority, pair, 'sslclient');
    assert.throws(() => verify(t, authority, pair, 'sslserver'));
    const certificate = openBothOf(pair);
    assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
    assert.equal(certificate.subjectAltName, undefined);
  },
);

test(
  'issueServerCertificate creates a certificate that OpenSSL accepts for a server and refuses for a client',
  needs('openssl'),
  async (t) => {
    const authority = await getCertificateAuthority();
    const pair = await getServerCertificate();
    verify(t, authority, pair, 'sslserver');
    assert.throws(() => verify(t, authority, pair, 'sslclient'));
  },
);

test(
  'a certificate does not verify against another authority of the same name',
  needs('openssl'),
  async (t) => {
    const other = await makeCertificateAuthority('Penstock test authority');
    const pair = await getClientCertificate('scada');
    assert.throws(() => verify(t, other, pair, 'sslclient'));
  },
);

test('a certificate ends no later than its issuer', async () => {
  const authority = await makeCertificateAuthority('Short authority', 10);
  const pair = await issueClientCertificate(authority, 'scada');
  assert.equal(openBothOf(pair).validTo, openBothOf(authority).validTo);
});

test('a common name is kept unchanged, whatever characters it has', async () => {
  const name = 'O=x, CN=admin+Müller "#"';
  const { subject } = openBothOf(await getClientCertificate(name)).toLegacyObject();
  assert.equal(subject.CN, name);
});

test('issuing certificates loads no certificate library into this process', async () => {
  await getCertificateAuthority();
  // The library would load a polyfill that defines it.
  assert.equal('getMetadata' in Reflect, false);
});

test('every certificate has a different serial number', async () => {
  const pairs = await Promise.all(['one', 'two', 'three'].map(getClientCertificate));
  const serials = pairs.map((pair) => openBothOf(pair).serialNumber);
  assert.equal(new Set(serials).size, 3);
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
});

const REFUSED: readonly (readonly [name: string, make: (authority: KeyPair) => Promise<KeyPair>])[] = [
  ['an empty common name', (authority) => issueClientCertificate(authority, '')],
  ['a common name beyond 64 characters', (authority) => issueClientCertificate(authority, 'x'.repeat(65))],
  ['a NUL in a common name', (authority) => issueClientCertificate(authority, 'admin\0x')],
  ['zero days', (authority) => issueClientCertificate(authority, 'scada', 0)],
  ['a fraction of a day', () => makeCertificateAuthority('Authority', 1.5)],
  [
    'a host name with a space',
    (authority) => issueServerCertificate(authority, { hostNames: ['a b'], addresses: [] }),
  ],
  [
    'an invalid address',
    (authority) => issueServerCertificate(authority, { hostNames: ['a'], addresses: ['1.2.3'] }),
  ],
  ['a server without a name', () => makeSelfSignedServerCertificate({ hostNames: [], addresses: [] })],
];
for (const [name, make] of REFUSED) {
  test(`a request with ${name} is refused`, async () => {
    const authority = await getCertificateAuthority();
    await assert.rejects(
      make(authority),
      (error) => error instanceof CertificateError && error.code === 'CERTIFICATE_REQUEST_INVALID',
    );
  });
}

test('an issuer that cannot sign leads to CERTIFICATE_MAKER_FAILED and shows no key', async () => {
  const authority = await getCertificateAuthority();
  await assert.rejects(
    issueClientCertificate({ ...authority, privateKey: 'canary' }, 'scada'),
    (error) =>
      error instanceof CertificateError &&
      error.code === 'CERTIFICATE_MAKER_FAILED' &&
      !error.detail.includes('canary') &&
      !(error.cause as Error).message.includes('canary'),
  );
});

test('listLocalNames omits a host name that a certificate cannot contain', () => {
  assert.deepEqual(listLocalNames('my_gateway').hostNames, ['localhost']);
  assert.deepEqual(listLocalNames('localhost').hostNames, ['localhost']);
});
