import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { loadSecretKey, SECRET_KEY_FILE, SecretKey } from '../../../../daemon/base/key/secret-key.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const KEY = new SecretKey(Uint8Array.from({ length: 32 }, (_, index) => index));
const IV = Uint8Array.from({ length: 12 }, (_, index) => 100 + index);
// Made with AESGCM and hmac of Python, from the same key, initialization vector and purpose.
const RECORD = '1.d0a71911eecfdda2.ZGVmZ2hpamtsbW5vany7DhyAO7yiCAquGLDDVyEWnFpPBjFk';
const FINGERPRINT = 'ff38b57c5c5a1e424167bb56518419881b40e5317bc2e5498f67f36199a04719';

test('a record is what another implementation of AES-256-GCM makes', () => {
  assert.equal(KEY.seal('"geheim"', 'configuration', IV), RECORD);
  assert.equal(KEY.open(RECORD, 'configuration'), '"geheim"');
  assert.equal(KEY.fingerprint('geheim'), FINGERPRINT);
});

test('a record opens with its key, for its purpose, and as it was made', () => {
  const other = new SecretKey(Buffer.alloc(32, 7));
  assert.equal(other.open(RECORD, 'configuration'), undefined);
  assert.equal(other.open(RECORD.replace(KEY.id, other.id), 'configuration'), undefined);
  assert.equal(KEY.open(RECORD, 'second factor of 1'), undefined);
  for (const damaged of ['', '1', '1.d0a71911eecfdda2.', RECORD.replace('1.', '2.'), RECORD.slice(0, -3)]) {
    assert.equal(KEY.open(damaged, 'configuration'), undefined, damaged);
  }
  const flipped = RECORD.replace('bW5v', 'bW5w');
  assert.notEqual(flipped, RECORD);
  assert.equal(KEY.open(flipped, 'configuration'), undefined);
});

test('the same secret has another record each time, and any text comes back', () => {
  for (const secret of ['', 'ä\u0000\u{1f600}', 'x'.repeat(10_000)]) {
    const [one, other] = [KEY.seal(secret, 'a'), KEY.seal(secret, 'a')];
    assert.notEqual(one, other);
    assert.equal(KEY.open(one, 'a'), secret);
  }
});

test('the key file is made at the first use, for its owner only, and stays', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, SECRET_KEY_FILE);
  const logger = createMemoryLogger();
  const { id } = await loadSecretKey(directory, logger);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await loadSecretKey(directory, logger)).id, id);
  assert.deepEqual(logger.lines, []);
});

test('a file that holds no key is put aside, with a sentence in the log', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, SECRET_KEY_FILE);
  writeFileSync(file, 'no key at all\n');
  chmodSync(file, 0o600);
  const logger = createMemoryLogger();
  const { id } = await loadSecretKey(directory, logger);
  assert.equal(readFileSync(`${file}.unusable`, 'utf8'), 'no key at all\n');
  assert.ok(existsSync(file));
  assert.equal(logger.lines[0]?.event, 'secrets.keyRejected');
  assert.equal((await loadSecretKey(directory, logger)).id, id);
});
