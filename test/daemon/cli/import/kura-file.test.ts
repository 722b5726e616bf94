import assert from 'node:assert/strict';
import { createCipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';

import { recognizeKuraFile } from '../../../../daemon/cli/import/import-file.ts';

const SNAPSHOT = '<?xml version="1.0"?>\n<esf:configurations xmlns:esf="http://x"></esf:configurations>';

function encrypt(text: string): readonly [vector: string, content: string] {
  const vector = randomBytes(12);
  const cipher = createCipheriv('aes-128-gcm', randomBytes(16), vector);
  const content = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return [vector.toString('base64'), content.toString('base64')];
}

test('a snapshot and a sheet of channels are told apart', () => {
  assert.equal(recognizeKuraFile('snapshot.xml', `\uFEFF${SNAPSHOT}`), 'SNAPSHOT');
  assert.equal(recognizeKuraFile('channels.csv', 'name,type,value.type\nflow,READ,FLOAT\n'), 'SHEET');
  assert.equal(recognizeKuraFile('-', 'name;type\nflow;READ\n'), 'SHEET');
});

test('an encrypted snapshot is named as such, with where to get a readable one', () => {
  const [vector, content] = encrypt(SNAPSHOT);
  for (const text of [
    `${vector}-${content}`,
    content,
    `${content}\n`,
    content.replaceAll(/.{76}/g, '$&\n'),
  ]) {
    assert.throws(() => recognizeKuraFile('snapshot_0.xml', text), {
      code: 'IMPORT_UNREADABLE',
      message: /^snapshot_0\.xml is an encrypted snapshot; download the snapshot/,
    });
  }
});

for (const [text, expected] of [
  ['', /is empty/],
  ['{"configurations": []}', /is JSON; expected XML/],
  ['hello', /is neither XML nor a sheet/],
  ['name,type\nflow,READ\n', /is neither XML nor a sheet/],
] as const) {
  test(`${JSON.stringify(text)} under the name of a snapshot is no XML, and that is said`, () => {
    assert.throws(() => recognizeKuraFile('snapshot.xml', text), {
      code: 'IMPORT_UNREADABLE',
      message: expected,
    });
  });
}
