import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { test } from 'node:test';

import { listAlgorithms } from '../../../../daemon/security/token/algorithms.ts';
import { isSignedBy, signClaims } from '../../../../daemon/security/token/signature.ts';
import { createKeyId, createSigningKey } from '../../../../daemon/security/token/signing-key.ts';
import { readClaims, readToken } from '../../../../daemon/security/token/token-format.ts';
import { forge, getTokenSigner } from './token-fixture.ts';

const trust = (publicKey: KeyObject) => ({ publicKey, algorithms: listAlgorithms(publicKey) });
const fromJwk = (key: JsonWebKey) => createPublicKey({ key, format: 'jwk' });

/** RFC 7515, A.2.1. */
const RSA_KEY = fromJwk({
  kty: 'RSA',
  n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
  e: 'AQAB',
});
/** RFC 7515, A.3.1. */
const EC_KEY = fromJwk({
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
});
/** RFC 8037, A.2. */
const OKP_KEY = fromJwk({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' });

const PAYLOAD =
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
const VECTORS = [
  {
    name: 'RFC 7515, A.2: RS256',
    key: RSA_KEY,
    token: `eyJhbGciOiJSUzI1NiJ9.${PAYLOAD}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
  },
  {
    name: 'RFC 7515, A.3: ES256',
    key: EC_KEY,
    token: `eyJhbGciOiJFUzI1NiJ9.${PAYLOAD}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
  },
  {
    name: 'RFC 8037, A.4: EdDSA',
    key: OKP_KEY,
    token:
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  },
];

for (const { name, key, token } of VECTORS) {
  test(`${name} is verified, and not with another bit or key`, async () => {
    assert.ok(await isSignedBy(readToken(token), trust(key)));
    const [header = '', payload = '', signature = ''] = token.split('.');
    const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    assert.equal(await isSignedBy(readToken(`${header}.${payload}.${other}`), trust(key)), false);
    assert.equal(await isSignedBy(readToken(`${header}.Zm9v.${signature}`), trust(key)), false);
    for (const stranger of VECTORS.filter((vector) => vector.key !== key)) {
      assert.equal(await isSignedBy(readToken(token), trust(stranger.key)), false);
    }
  });
}

test('RFC 7515, A.1, A.4 and A.5: HS256, ES512 and none are refused', () => {
  for (const header of [
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9',
    'eyJhbGciOiJFUzUxMiJ9',
    'eyJhbGciOiJub25lIn0',
  ]) {
    assert.throws(() => readToken(`${header}.${PAYLOAD}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`), {
      code: 'TOKEN_ALGORITHM_REFUSED',
    });
  }
  assert.throws(() => readToken(`eyJhbGciOiJub25lIn0.${PAYLOAD}.`), { code: 'TOKEN_MALFORMED' });
});

test('createKeyId returns the thumbprints of RFC 7638, 3.1 and RFC 8037, A.3', () => {
  const key = fromJwk({
    kty: 'RSA',
    n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
    e: 'AQAB',
  });
  assert.equal(createKeyId(key), 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  assert.equal(createKeyId(OKP_KEY), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

for (const [algorithm, keyType] of [
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['RS256', 'RSA'],
  ['PS256', 'RSA'],
  ['EdDSA', 'Ed25519'],
] as const) {
  test(`${algorithm}: a signature made here is verified, and one made by node:crypto as well`, async () => {
    const pair = await getTokenSigner('algorithms', keyType);
    const key = createSigningKey(createPrivateKey(pair.privateKey), new X509Certificate(pair.certificate));
    const token = readToken(await signClaims({ sub: 'scada' }, key, algorithm));
    assert.equal(token.algorithm, algorithm);
    assert.equal(token.kid, key.kid);
    assert.deepEqual(readClaims(token.payload), { sub: 'scada' });
    assert.ok(await isSignedBy(token, trust(key.certificate.publicKey)));
    const forged = readToken(forge(pair, { sub: 'scada' }, { alg: algorithm }, algorithm));
    assert.ok(await isSignedBy(forged, trust(key.certificate.publicKey)));
    assert.ok(listAlgorithms(key.certificate.publicKey).includes(algorithm));
  });
}

test('listAlgorithms binds algorithms to the kind of key and refuses weak and unsupported ones', () => {
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey;
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;
  assert.deepEqual(listAlgorithms(rsa(2048)), ['RS256', 'PS256']);
  assert.deepEqual(listAlgorithms(rsa(1024)), []);
  assert.deepEqual(listAlgorithms(ec('P-256')), ['ES256']);
  assert.deepEqual(listAlgorithms(ec('P-384')), ['ES384']);
  for (const curve of ['P-521', 'secp256k1', 'P-224']) assert.deepEqual(listAlgorithms(ec(curve)), []);
  assert.deepEqual(listAlgorithms(generateKeyPairSync('ed25519').publicKey), ['EdDSA']);
  assert.deepEqual(listAlgorithms(generateKeyPairSync('ed448').publicKey), []);
  assert.deepEqual(listAlgorithms(generateKeyPairSync('x25519').publicKey), []);
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey;
  assert.deepEqual(listAlgorithms(pss), []);
});
