import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseManifest } from '../../../../daemon/software/package/manifest.ts';
import { writeSection } from '../../../../daemon/software/package/manifest-writer.ts';

test('writeSection folds lines at 72 bytes, even inside a character, and the parser restores them', () => {
  const value = `${'ä'.repeat(100)} end`;
  const bytes = writeSection({ 'Manifest-Version': '1.0', Title: value, Exact: 'x'.repeat(72 - 7) });
  const lines = bytes.toString('latin1').split('\r\n');
  assert.ok(lines.every(({ length }) => length <= 72));
  assert.equal(lines.filter((line) => line.startsWith('Exact: ')).length, 1);
  assert.deepEqual(lines.slice(-2), ['', '']);
  const { main } = parseManifest(bytes);
  assert.deepEqual([main.get('title'), main.get('exact')], [value, 'x'.repeat(65)]);
});

test('writeSection refuses a value that contains a line end or NUL', () => {
  for (const value of ['a\nb: c', 'a\r', 'a\0b']) {
    assert.throws(() => writeSection({ Title: value }), { code: 'HEADER_INVALID' });
  }
});
