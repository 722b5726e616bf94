import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';

import { makeTokenSigner } from '../../../../daemon/security/certificate/certificate-issuer.ts';

const NOW_MS = 1_700_000_000_000;

for (const [keyType, asymmetricKeyType] of [
  ['P-256', 'ec'],
  ['P-384', 'ec'],
  ['RSA', 'rsa'],
  ['Ed25519', 'ed25519'],
] as const) {
  test(`makeTokenSigner creates a ${keyType} key with a matching certificate that cannot be used for TLS`, async () => {
    const pair = await makeTokenSigner({ commonName: 'penstock', keyType, nowMs: NOW_MS });
    const certificate = new X509Certificate(pair.certificate);
    assert.equal(certificate.publicKey.asymmetricKeyType, asymmetricKeyType);
    assert.ok(certificate.checkPrivateKey(createPrivateKey(pair.privateKey)));
    assert.ok(certificate.verify(certificate.publicKey));
    assert.equal(certificate.ca, false);
    assert.equal(certificate.keyUsage, undefined);
  });
}

test('the validity of a token signer begins an hour before the given time', async () => {
  const pair = await makeTokenSigner({ commonName: 'penstock', keyType: 'P-256', nowMs: NOW_MS, days: 2 });
  const { validFromDate, validToDate } = new X509Certificate(pair.certificate);
  assert.equal(validFromDate.getTime(), NOW_MS - 3_600_000);
  assert.equal(validToDate.getTime() - validFromDate.getTime(), 2 * 86_400_000);
});
