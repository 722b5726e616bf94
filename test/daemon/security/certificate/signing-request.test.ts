import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { test } from 'node:test';

import { InvalidRequest } from '../../../../daemon/base/errors.ts';
import { makeSigningRequest } from '../../../../daemon/security/certificate/signing-request.ts';
import { getServerCertificate } from '../../../support/certificate-authority.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { programOf } from '../../../support/tools.ts';

const { certificate } = await getServerCertificate();

function make(key: KeyObject, signatureAlgorithm: string, subject = 'CN=gateway'): string {
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  return makeSigningRequest({
    privateKey,
    certificate: new X509Certificate(certificate),
    signatureAlgorithm,
    subject,
  });
}

/** Returns what openssl shows of a request that it has verified. */
function show(request: string): string {
  const options = ['req', '-verify', '-noout', '-text', '-nameopt', 'esc_2253,utf8'];
  return execFileSync(programOf('openssl'), options, { input: request, encoding: 'utf8', stdio: 'pipe' });
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;

test(
  'makeSigningRequest signs with each kind of key and digest, as openssl verifies',
  needs('openssl'),
  () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    for (const [key, name, shown] of [
      [rsa, 'SHA256withRSA', 'sha256WithRSAEncryption'],
      [rsa, 'SHA512WITHRSA', 'sha512WithRSAEncryption'],
      [ec, 'sha384withECDSA', 'ecdsa-with-SHA384'],
      [generateKeyPairSync('ed25519').privateKey, 'Ed25519', 'ED25519'],
    ] as const) {
      assert.match(show(make(key, name)), new RegExp(`Signature Algorithm: ${shown}`, 'i'), name);
    }
  },
);

test(
  'makeSigningRequest encodes names with escapes, quotes and every separator, most specific part last',
  needs('openssl'),
  () => {
    const subject = String.raw`cn = a\,b\2B\c3\a4 ;OU="x, \"y\"", DC=plant,emailAddress=a@example.com, 2.5.4.10=no`;
    assert.throws(() => make(ec, 'SHA256withECDSA', subject), InvalidRequest);
    const allowed = subject.slice(0, subject.lastIndexOf(','));
    const shown = show(make(ec, 'SHA256withECDSA', allowed));
    const [, line = ''] = /Subject: ?(.*)/.exec(shown) ?? [];
    assert.equal(
      line.replaceAll(/ ?= ?/g, '='),
      String.raw`emailAddress=a@example.com, DC=plant, OU=x\, \"y\", CN=a\,b\+ä`,
    );
  },
);

test('makeSigningRequest names what is wrong', () => {
  const longName = 'a'.repeat(65);
  for (const subject of [
    '',
    'CN',
    'CN=',
    `CN=${longName}`,
    'C=12',
    'CN=a+OU=b',
    'CN=a,,O=b',
    'DC=ä',
    'CN="a',
    'CN=a\\',
  ]) {
    assert.throws(() => make(ec, 'SHA256withECDSA', subject), InvalidRequest, subject);
  }
  for (const name of ['MD5withRSA', 'SHA256withRSA', 'SHA1withECDSA', '']) {
    assert.throws(() => make(ec, name), InvalidRequest, name);
  }
});
