import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { loadAuditKey } from '../../../../daemon/security/audit/audit-key.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('the key is created once, for its owner only', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'audit-key.pem');
  const { publicKey } = await loadAuditKey(file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await loadAuditKey(file)).publicKey, publicKey);
});

test('a file that holds no key is named, and stays', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'audit-key.pem');
  writeFileSync(file, 'not a key');
  await assert.rejects(loadAuditKey(file), {
    code: 'STORE_DAMAGED',
    detail: /audit-key\.pem is not a private key;/,
  });
});

test('a key that cannot be read or written is named', async (t) => {
  const directory = createTemporaryDirectory(t);
  mkdirSync(path.join(directory, 'audit-key.pem'));
  for (const file of [path.join(directory, 'audit-key.pem'), path.join(directory, 'gone/audit-key.pem')]) {
    await assert.rejects(loadAuditKey(file), {
      code: 'STORE_UNAVAILABLE',
      detail: /cannot use .*audit-key\.pem: /,
    });
  }
});
