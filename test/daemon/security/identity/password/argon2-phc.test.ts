import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatPhc, readPhc } from '../../../../../daemon/security/identity/password/argon2-phc.ts';

const VALID = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';

test('readPhc reads each field of a hash of the reference implementation', () => {
  const hash = readPhc(VALID);
  assert.equal(hash?.memoryKib, 256);
  assert.equal(hash?.passes, 2);
  assert.equal(hash?.parallelism, 1);
  assert.equal(Buffer.from(hash?.salt ?? []).toString(), 'somesalt');
  assert.equal(
    Buffer.from(hash?.tag ?? []).toString('hex'),
    '9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe',
  );
});

test('formatPhc writes what readPhc read', () => {
  const hash = readPhc(VALID);
  assert.ok(hash);
  assert.equal(formatPhc(hash), VALID);
});

test('readPhc returns undefined for a cost that the gateway does not accept', () => {
  const costs = ['m=4194304,t=2,p=1', 'm=9999999,t=2,p=1', 'm=256,t=17,p=1', 'm=256,t=2,p=5', 'm=7,t=1,p=1'];
  for (const cost of costs) {
    assert.equal(readPhc(VALID.replace('m=256,t=2,p=1', cost)), undefined, cost);
  }
});

test('readPhc returns undefined for other algorithms, versions and texts', () => {
  const texts = [
    '',
    'password',
    VALID.replace('argon2id', 'argon2i'),
    VALID.replace('v=19', 'v=16'),
    VALID.replace('c29tZXNhbHQ', ''),
    `${VALID}\n`,
    `${VALID}$`,
    `${VALID}${'A'.repeat(100_000)}`,
  ];
  assert.deepEqual(
    texts.filter((text) => readPhc(text) !== undefined),
    [],
  );
});
