import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readClaims, readToken } from '../../../../daemon/security/token/token-format.ts';
import { encode } from './token-fixture.ts';

const HEADER = { alg: 'ES256', kid: 'k' };
const PAYLOAD = { iss: 'penstock' };
const SIGNATURE = Buffer.alloc(64, 7).toString('base64url');

function tokenOf(
  header: string | object = HEADER,
  payload: string | object = PAYLOAD,
  signature = SIGNATURE,
): string {
  return `${encode(header)}.${encode(payload)}.${signature}`;
}

test('readToken returns algorithm, kid and payload of a well-formed token', () => {
  const token = readToken(tokenOf());
  assert.equal(token.algorithm, 'ES256');
  assert.equal(token.kid, 'k');
  assert.deepEqual(readClaims(token.payload), PAYLOAD);
});

test('typ may have any value, and other fields are ignored', () => {
  for (const typ of ['JWT', 'jwt', 'at+jwt', 'JOSE', 7, null]) {
    assert.equal(readToken(tokenOf({ ...HEADER, typ, cty: 'x', extra: { a: [] } })).algorithm, 'ES256');
  }
});

test('8192 bytes are accepted, 8193 are too long', () => {
  const pad = (length: number): string => {
    const head = tokenOf(HEADER, PAYLOAD, '');
    return head + 'A'.repeat(length - head.length);
  };
  const fitting = [8192, 8191, 8190, 8189].find((length) => {
    try {
      readToken(pad(length));
      return true;
    } catch {
      return false;
    }
  });
  assert.ok(fitting !== undefined && fitting > 8188);
  assert.throws(() => readToken(pad(8193)), { code: 'TOKEN_TOO_LONG' });
  assert.throws(() => readToken('.'.repeat(1_000_000)), { code: 'TOKEN_TOO_LONG' });
});

test('a token has three parts that are not empty', () => {
  const [header, payload] = [encode(HEADER), encode(PAYLOAD)];
  for (const text of [
    '',
    '.',
    '..',
    '...',
    header,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}..${SIGNATURE}`,
    `.${payload}.${SIGNATURE}`,
    `${tokenOf()}.`,
    `${tokenOf()}.${SIGNATURE}`,
    `${tokenOf()}.${SIGNATURE}.x`,
  ]) {
    assert.throws(() => readToken(text), { code: 'TOKEN_MALFORMED' }, text);
  }
});

test('a token has one spelling: no padding, no white space, no other alphabet, no stray bits', () => {
  // The last character of 64 bytes carries two bits: four spellings decode alike.
  const stray = SIGNATURE.slice(0, -1) + String.fromCharCode(SIGNATURE.charCodeAt(SIGNATURE.length - 1) + 1);
  assert.deepEqual(Buffer.from(stray, 'base64url'), Buffer.from(SIGNATURE, 'base64url'));
  const whole = tokenOf();
  for (const text of [
    tokenOf(HEADER, PAYLOAD, stray),
    `${whole}=`,
    `${whole}==`,
    ` ${whole}`,
    `${whole} `,
    `${whole}\n`,
    whole.replace('.', ' .'),
    whole.replace('.', '\n.'),
    tokenOf(HEADER, PAYLOAD, `${SIGNATURE.slice(0, -2)}+/`),
    tokenOf(HEADER, PAYLOAD, `${SIGNATURE}\0`),
    tokenOf(HEADER, PAYLOAD, `${SIGNATURE}é`),
    tokenOf(HEADER, PAYLOAD, 'A'),
  ]) {
    assert.throws(() => readToken(text), { code: 'TOKEN_MALFORMED' }, text);
  }
});

test('the header is a JSON object of distinct names', () => {
  for (const header of [
    '',
    'null',
    '"alg"',
    '[]',
    '[{"alg":"ES256"}]',
    '{"alg":"ES256"',
    '{"alg":"ES256"} x',
    '{"alg":"ES256","alg":"ES256"}',
    '{"alg":"none","alg":"ES256"}',
    '{"alg":"ES256","\\u0061lg":"none"}',
    '{"alg":"ES256","x":{"a":1,"a":2}}',
    '{"alg":"ES256","x":[{"a":1,"b":[],"a":2}]}',
    '\ufeff{"alg":"ES256"}',
  ]) {
    assert.throws(() => readToken(tokenOf(header)), { code: 'TOKEN_MALFORMED' }, header);
  }
  const latin1 = Buffer.from('{"alg":"ES256","x":"é"}', 'latin1').toString('base64url');
  assert.throws(() => readToken(`${latin1}.${encode(PAYLOAD)}.${SIGNATURE}`), { code: 'TOKEN_MALFORMED' });
});

test('equal names in different objects and in strings are not duplicates', () => {
  const header =
    '{"alg":"ES256","a":{"alg":1,"b":{"alg":2}},"c":["alg","alg",{"alg":1},{"alg":2}],"d":"\\",\\"alg\\":{"}';
  assert.equal(readToken(tokenOf(header)).algorithm, 'ES256');
});

test('an algorithm outside the allow-list is refused, however it is spelled', () => {
  const names =
    'none None NONE nOnE ｎone null HS256 HS384 HS512 hs256 es256 Es256 ES512 ES256K RS1 RS384 PS512 Ed25519 ' +
    'ML-DSA-44 RSA-OAEP dir __proto__ constructor';
  const others = ['', 'none ', ' none', 'none\0', 'ES256 ', null, 0, true, ['ES256'], { alg: 'ES256' }];
  for (const alg of [...names.split(' '), ...others]) {
    assert.throws(
      () => readToken(tokenOf({ alg })),
      { code: 'TOKEN_ALGORITHM_REFUSED' },
      JSON.stringify(alg),
    );
  }
  assert.throws(() => readToken(tokenOf({ kid: 'k' })), { code: 'TOKEN_ALGORITHM_REFUSED' });
  assert.throws(() => readToken(tokenOf('{"__proto__":{"alg":"ES256"}}')), {
    code: 'TOKEN_ALGORITHM_REFUSED',
  });
});

test('crit and b64 are refused, whatever their value', () => {
  for (const extension of [
    { crit: ['exp'] },
    { crit: [] },
    { crit: ['b64'], b64: false },
    { b64: false },
    { b64: true },
    { crit: null },
  ]) {
    assert.throws(() => readToken(tokenOf({ ...HEADER, ...extension })), { code: 'TOKEN_CRITICAL_HEADER' });
  }
});

test('kid is a text', () => {
  for (const kid of [7, null, ['k'], {}]) {
    assert.throws(() => readToken(tokenOf({ alg: 'ES256', kid })), { code: 'TOKEN_MALFORMED' });
  }
});

test('the claims are a JSON object of distinct names', () => {
  for (const payload of [
    'foo',
    '[]',
    'null',
    '"x"',
    '7',
    '{"sub":"a","sub":"b"}',
    '{"exp":1,"\\u0065xp":2}',
  ]) {
    assert.throws(() => readClaims(Buffer.from(payload)), { code: 'TOKEN_MALFORMED' }, payload);
  }
});

test('a hostile payload of deep nesting is refused or read, never an unexpected error', () => {
  const deep = '['.repeat(3000) + ']'.repeat(3000);
  assert.deepEqual(Object.keys(readClaims(Buffer.from(`{"x":${deep}}`))), ['x']);
});
