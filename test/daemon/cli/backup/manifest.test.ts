import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatManifest, isLaterRelease, parseManifest } from '../../../../daemon/cli/backup/manifest.ts';

const MANIFEST = { format: 1, release: '1.2.3', timeMs: 5, host: 'a', daemon: { uid: 1, gid: 2 } } as const;

test('parseManifest reads what formatManifest writes', () => {
  assert.deepEqual(parseManifest(formatManifest(MANIFEST)), MANIFEST);
});

test('parseManifest refuses another form, and what is no JSON', () => {
  for (const text of [JSON.stringify({ ...MANIFEST, format: 2 }), '{}', 'no JSON', '']) {
    assert.throws(() => parseManifest(Buffer.from(text)), { code: 'ARCHIVE_INVALID' });
  }
});

for (const [release, than, isLater] of [
  ['1.2.3', '1.2.3', false],
  ['1.2.4', '1.2.3', true],
  ['1.10.0', '1.9.9', true],
  ['0.9.9', '1.0.0', false],
  ['2.0.0-rc.1', '1.0.0', true],
] as const) {
  test(`isLaterRelease: ${release} is ${isLater ? '' : 'not '}later than ${than}`, () => {
    assert.equal(isLaterRelease(release, than), isLater);
  });
}
