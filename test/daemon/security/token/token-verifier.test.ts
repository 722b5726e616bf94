import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import type { TokenVerifier } from '../../../../daemon/security/token/token-verifier.ts';
import { CertificateFiles } from '../../../support/certificate-files.ts';
import { getRocaKey } from '../../../support/weak-keys.ts';
import {
  ACCESS,
  claimsFor,
  createTokenFixture,
  encode,
  forge,
  FOREIGN_ISSUER,
  getTokenSigner,
  NOW_MS,
  NOW_SECONDS,
  publicKeyOf,
} from './token-fixture.ts';

const DAY_MS = 86_400_000;

function refused(verifier: TokenVerifier, token: string, code: string, message?: string) {
  return assert.rejects(verifier.verify(token, 'access'), { name: 'TokenRefused', code }, message);
}

test('a token of the gateway is verified', async (t) => {
  const { verifier, issuer } = await createTokenFixture(t);
  const { accessToken } = await issuer.issue({ name: 'scada' });
  assert.equal((await verifier.verify(accessToken, 'access')).sub, 'scada');
});

test('a token of an external issuer is verified by the certificate in a file', async (t) => {
  const { verifier, foreign } = await createTokenFixture(t);
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER }));
  assert.equal((await verifier.verify(token, 'access')).iss, FOREIGN_ISSUER);
});

test('a token of an external issuer is verified by the certificate in the settings', async (t) => {
  const { verifier, foreign, setVerification } = await createTokenFixture(t);
  setVerification({ trustedCertificates: [{ pem: foreign.certificate }] });
  assert.ok(await verifier.verify(forge(foreign, claimsFor({ iss: FOREIGN_ISSUER })), 'access'));
});

test('a token of an untrusted issuer is refused, whatever kid it names', async (t) => {
  const { verifier, issuer } = await createTokenFixture(t);
  const stranger = await getTokenSigner('stranger');
  const header = JSON.parse(
    Buffer.from(
      (await issuer.issue({ name: 'scada' })).accessToken.split('.')[0] ?? '',
      'base64url',
    ).toString(),
  ) as { kid: string };
  await refused(verifier, forge(stranger, claimsFor()), 'TOKEN_SIGNATURE_INVALID');
  await refused(
    verifier,
    forge(stranger, claimsFor(), { alg: 'ES256', kid: header.kid }),
    'TOKEN_SIGNATURE_INVALID',
  );
});

test('kid is a hint: a token with a foreign, a wrong or no kid is verified by the key that signed it', async (t) => {
  const { verifier, own, keys, service } = await createTokenFixture(t);
  const { kid } = await keys.getSigningKey(service());
  for (const hint of [kid, 'unknown', '', '../../etc/passwd', "' OR 1=1", '__proto__', undefined]) {
    assert.ok(await verifier.verify(forge(own, claimsFor(), { alg: 'ES256', kid: hint }), 'access'));
  }
});

test('keys in the header are never used', async (t) => {
  const { verifier } = await createTokenFixture(t);
  const stranger = await getTokenSigner('stranger');
  const jwk = createPublicKey(stranger.certificate).export({ format: 'jwk' });
  const x5c = [stranger.certificate.replaceAll(/-----[^-]+-----|\s/g, '')];
  for (const embedded of [
    { jwk },
    { x5c },
    { jku: 'https://192.0.2.1/jwks' },
    { x5u: 'file:///etc/hosts' },
  ]) {
    await refused(
      verifier,
      forge(stranger, claimsFor(), { alg: 'ES256', ...embedded }),
      'TOKEN_SIGNATURE_INVALID',
    );
  }
});

test('an HMAC with the public key as secret is refused in every form of that key', async (t) => {
  const { verifier, own } = await createTokenFixture(t);
  const pem = publicKeyOf(own);
  const der = createPublicKey(own.certificate).export({ type: 'spki', format: 'der' });
  for (const secret of [pem, pem.trim(), der, own.certificate, own.certificate.trim(), '']) {
    for (const alg of ['HS256', 'ES256']) {
      const input = `${encode({ alg })}.${encode(claimsFor())}`;
      const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
      await refused(verifier, token, alg === 'HS256' ? 'TOKEN_ALGORITHM_REFUSED' : 'TOKEN_SIGNATURE_INVALID');
    }
  }
});

test('an altered header, payload or signature is refused', async (t) => {
  const { verifier, own } = await createTokenFixture(t);
  const [header = '', payload = '', signature = ''] = forge(own, claimsFor()).split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)];
  for (const altered of [
    `${encode({ alg: 'ES256', typ: 'JWT' })}.${payload}.${signature}`,
    `${header}.${encode(claimsFor({ sub: 'admin' }))}.${signature}`,
    `${header}.${payload}.${Buffer.concat([s, r]).toString('base64url')}`,
    `${header}.${payload}.${r.toString('base64url')}`,
    `${header}.${payload}.${Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64url')}`,
    // CVE-2022-21449: a signature of zeros.
    `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
  ]) {
    await refused(verifier, altered, 'TOKEN_SIGNATURE_INVALID', altered);
  }
});

test('a key signs with the algorithms of its kind only', async (t) => {
  const { verifier, own } = await createTokenFixture(t);
  for (const alg of ['ES384', 'RS256', 'PS256', 'EdDSA']) {
    await refused(verifier, forge(own, claimsFor(), { alg }), 'TOKEN_SIGNATURE_INVALID', alg);
  }
});

test('an expired or future certificate counts only when its validity is not required', async (t) => {
  const { verifier, setVerification } = await createTokenFixture(t);
  for (const madeMs of [NOW_MS - 3700 * DAY_MS, NOW_MS + DAY_MS]) {
    const signer = await getTokenSigner('out of time', 'P-256', madeMs);
    const token = forge(signer, claimsFor());
    setVerification({ trustedCertificates: [{ pem: signer.certificate }], requireValidCertificate: true });
    await refused(verifier, token, 'TOKEN_SIGNATURE_INVALID');
    setVerification({ trustedCertificates: [{ pem: signer.certificate }], requireValidCertificate: false });
    assert.ok(await verifier.verify(token, 'access'));
  }
});

test('a token with invalid claims is refused although its signature is valid', async (t) => {
  const { verifier, own } = await createTokenFixture(t);
  for (const [changes, code] of [
    [{ iss: 'other' }, 'TOKEN_ISSUER_REFUSED'],
    [{ aud: 'other' }, 'TOKEN_AUDIENCE_REFUSED'],
    [{ sub: ' ' }, 'TOKEN_CLAIM_INVALID'],
    [{ exp: undefined }, 'TOKEN_CLAIM_MISSING'],
    [{ exp: NOW_SECONDS - 30 }, 'TOKEN_EXPIRED'],
    [{ nbf: NOW_SECONDS + 31 }, 'TOKEN_NOT_YET_VALID'],
  ] as const) {
    await refused(verifier, forge(own, claimsFor(changes)), code);
  }
  const doubled = JSON.stringify(claimsFor()).replace('{', '{"sub":"admin",');
  await refused(verifier, forge(own, doubled), 'TOKEN_MALFORMED');
  await refused(
    verifier,
    forge(own, JSON.stringify(claimsFor()).replace(/"exp":\d+/, '"exp":1e999')),
    'TOKEN_CLAIM_INVALID',
  );
});

test('a known token is found until it expires, and only in its exact spelling', async (t) => {
  const { verifier, own, clock } = await createTokenFixture(t);
  const token = forge(own, claimsFor());
  assert.equal(verifier.findCached(token), undefined);
  await verifier.verify(token, 'access');
  assert.equal(verifier.findCached(token)?.sub, 'scada');
  for (const other of [`${token} `, token.slice(1), `${token}=`, '', 'x'.repeat(9000)]) {
    assert.equal(verifier.findCached(other), undefined);
  }
  clock.advance(89_999);
  assert.ok(verifier.findCached(token));
  clock.advance(1);
  assert.equal(verifier.findCached(token), undefined);
});

test('a refresh token and a refused token are not remembered', async (t) => {
  const { verifier, issuer, own } = await createTokenFixture(t);
  const { refreshToken } = await issuer.issue({ name: 'scada' });
  await verifier.verify(refreshToken, 'refresh');
  const expired = forge(own, claimsFor({ exp: NOW_SECONDS - 60 }));
  await refused(verifier, expired, 'TOKEN_EXPIRED');
  for (const token of [refreshToken, expired]) assert.equal(verifier.findCached(token), undefined);
});

test('known tokens are forgotten when settings, trust, issuers or keys change', async (t) => {
  const fixture = await createTokenFixture(t);
  const { verifier, foreign, keys, setVerification, set } = fixture;
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER }));
  const changes = [
    () => setVerification({ trustedIssuers: [] }),
    () => set({ rest: { jwtAccessTokenDurationSeconds: 61 } }),
    () => keys.reload(),
  ];
  for (const change of changes) {
    await verifier.verify(token, 'access');
    assert.ok(verifier.findCached(token));
    change();
    assert.equal(verifier.findCached(token), undefined);
  }
  setVerification({ trustedCertificates: [{ issuingService: 'local' }] });
  await refused(verifier, token, 'TOKEN_SIGNATURE_INVALID');
});

test('a token whose verification was in progress while the trust changed is not cached', async (t) => {
  const { verifier, foreign, setVerification } = await createTokenFixture(t);
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER }));
  const pending = verifier.verify(token, 'access');
  setVerification({ trustedCertificates: [{ issuingService: 'local' }] });
  await pending;
  assert.equal(verifier.findCached(token), undefined);
});

test('a replaced certificate file takes effect with the reload', async (t) => {
  const { verifier, keys, foreignFiles, foreign } = await createTokenFixture(t);
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER }));
  assert.ok(await verifier.verify(token, 'access'));
  writeFileSync(foreignFiles.certificateFile, (await getTokenSigner('stranger')).certificate);
  assert.ok(await verifier.verify(token, 'access'));
  keys.reload();
  await refused(verifier, token, 'TOKEN_SIGNATURE_INVALID');
});

test('while a certificate cannot be read, its tokens cannot be verified, and those of the others can', async (t) => {
  const { verifier, clock, foreignFiles, foreign, own, logger } = await createTokenFixture(t);
  rmSync(foreignFiles.certificateFile);
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER }));
  const unavailable = { name: 'Unavailable', code: 'TOKEN_SERVICE_UNAVAILABLE' };
  await assert.rejects(verifier.verify(token, 'access'), unavailable);
  assert.ok(await verifier.verify(forge(own, claimsFor()), 'access'));
  writeFileSync(foreignFiles.certificateFile, foreign.certificate);
  await assert.rejects(verifier.verify(token, 'access'), unavailable);
  clock.advance(1000);
  assert.ok(await verifier.verify(token, 'access'));
  assert.equal(logger.lines.filter(({ event }) => event === 'token.trustNotLoaded').length, 1);
});

test('tokens of a weak key are rejected permanently, although its certificate is trusted', async (t) => {
  const { verifier, own, directory, setVerification, logger } = await createTokenFixture(t);
  const certificates = new CertificateFiles(directory);
  certificates.makeSelfSigned('weak', { key: 'rsa:2048', publicKey: getRocaKey() });
  setVerification({
    trustedCertificates: [{ issuingService: 'local' }, { file: certificates.file('weak.crt') }],
    requireValidCertificate: false,
  });
  const privateKey = readFileSync(certificates.file('weak.key'), 'utf8');
  const token = forge({ privateKey }, claimsFor(), { alg: 'RS256' }, 'RS256');
  await refused(verifier, token, 'TOKEN_SIGNATURE_INVALID');
  assert.ok(await verifier.verify(forge(own, claimsFor()), 'access'));
  const line = logger.lines.find(({ event }) => event === 'token.trustNotLoaded');
  assert.match(String(line?.fields['reason']), /weak\.crt .*CVE-2017-15361/);
});

test('a target that no verification service matches is not found', async (t) => {
  const { verifier, own, set } = await createTokenFixture(t);
  set({ rest: { tokenVerificationServiceTarget: 'other' } });
  await assert.rejects(verifier.verify(forge(own, claimsFor()), 'access'), { code: 'TOKEN_SERVICE_MISSING' });
});

test('the target selects among several verification services', async (t) => {
  const { verifier, foreign, verification, set } = await createTokenFixture(t);
  const token = forge(foreign, claimsFor({ iss: FOREIGN_ISSUER, aud: [ACCESS] }));
  const strict = { ...verification, pid: 'strict', trustedIssuers: ['penstock'] };
  set({ tokenVerificationServices: [strict, verification] });
  await refused(verifier, token, 'TOKEN_ISSUER_REFUSED');
  set({ rest: { tokenVerificationServiceTarget: 'local' } });
  assert.ok(await verifier.verify(token, 'access'));
});
