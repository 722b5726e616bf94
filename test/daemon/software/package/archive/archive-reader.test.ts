import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { ArchiveReader } from '../../../../../daemon/software/package/archive/archive-reader.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';
import { buildZip } from '../../../../support/zip-builder.ts';
import type { ZipPart } from '../../../../support/zip-builder.ts';

function openArchive(t: TestContext, parts: readonly ZipPart[]): ArchiveReader {
  const file = path.join(createTemporaryDirectory(t), 'a.zip');
  writeFileSync(file, buildZip(parts));
  return new ArchiveReader(file);
}

test('ArchiveReader names an entry whose content contradicts its headers', (t) => {
  const content = 'content '.repeat(100);
  const shorter = { sizeBytes: 100 };
  const archive = openArchive(t, [
    { name: 'good', content },
    { name: 'longer than said', content, local: shorter, central: shorter },
    { name: 'changed', content, local: { crc32: 1 }, central: { crc32: 1 } },
  ]);
  assert.equal(String(archive.read('good', 1000)), content);
  for (const name of ['longer than said', 'changed']) {
    assert.throws(
      () => archive.read(name, 1000),
      { reason: 'NOT_A_JAR', message: new RegExp(`the entry "${name}" is damaged: `) },
      name,
    );
  }
  assert.throws(() => archive.read('good', 100), /the entry "good" is missing, or has more than 100 bytes/);
  assert.throws(() => archive.read('other', 100), /the entry "other" is missing/);
});
