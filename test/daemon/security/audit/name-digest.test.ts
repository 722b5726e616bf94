import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createNameDigest } from '../../../../daemon/security/audit/name-digest.ts';

test('a digest is 8 hexadecimal digits that are the same for the same name', () => {
  const digest = createNameDigest();
  assert.match(digest('hunter2'), /^[0-9a-f]{8}$/);
  assert.equal(digest('hunter2'), digest('hunter2'));
  assert.notEqual(digest('hunter2'), digest('hunter3'));
});

test('a digest cannot be reproduced by another process', () => {
  assert.notEqual(createNameDigest()('hunter2'), createNameDigest()('hunter2'));
});
