import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAXIMUM_MANIFEST_BYTES, parseManifest } from '../../../../daemon/software/package/manifest.ts';
import { writeSection } from '../../../../daemon/software/package/manifest-writer.ts';

test('parseManifest reads main and name sections with any line ends', () => {
  for (const end of ['\r\n', '\n', '\r']) {
    const lines = ['Manifest-Version: 1.0', 'a: b: c', '', 'Name: x.jar', 'D: e', '', '', 'Name: y', 'F:  g'];
    const { main, sections } = parseManifest(Buffer.from(lines.join(end)));
    assert.deepEqual(
      [...main],
      [
        ['manifest-version', '1.0'],
        ['a', 'b: c'],
      ],
      JSON.stringify(end),
    );
    assert.deepEqual(
      sections.map(({ name, headers }) => [name, [...headers]]),
      [
        [
          'x.jar',
          [
            ['name', 'x.jar'],
            ['d', 'e'],
          ],
        ],
        [
          'y',
          [
            ['name', 'y'],
            ['f', ' g'],
          ],
        ],
      ],
    );
  }
});

test('parseManifest joins folded lines before it decodes them', () => {
  for (let length = 0; length < 8; length += 1) {
    const value = `${'x'.repeat(length)}${'€ü'.repeat(100)} end`;
    const bytes = writeSection({ Description: value });
    assert.ok(
      bytes
        .toString('latin1')
        .split('\r\n')
        .every((line) => line.length <= 72),
    );
    assert.equal(parseManifest(bytes).main.get('description'), value);
  }
});

const REFUSED: readonly (readonly [what: string, content: string | Uint8Array])[] = [
  ['a line without a colon', 'Manifest-Version'],
  ['a header without a space', 'a:b'],
  ['a header without a name', ': b'],
  ['a name in another script', 'ä: b'],
  ['a repeated header', 'a: b\nA: c'],
  ['a continuation at the beginning', ' a: b'],
  ['a continuation after an empty line', 'a: b\n\n c'],
  ['a section without a name', 'a: b\n\nc: d'],
  ['two sections of the same name', 'a: b\n\nName: c\n\nName: c'],
  ['a NUL', 'a: b\0c'],
  ['bytes that are not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff])],
  ['a header that is too long', `a: ${'b'.repeat(70_000)}`],
  ['too many headers', Array.from({ length: 201 }, (_, index) => `a${index}: b`).join('\n')],
  ['too many sections', Array.from({ length: 2002 }, (_, index) => `Name: ${index}`).join('\n\n')],
];

for (const [what, content] of REFUSED) {
  test(`parseManifest refuses ${what}`, () => {
    assert.throws(() => parseManifest(Buffer.from(content)), { reason: 'BAD_HEADER' });
  });
}

test('parseManifest refuses a file larger than the limit for manifests', () => {
  assert.throws(() => parseManifest(Buffer.alloc(MAXIMUM_MANIFEST_BYTES + 1)), { reason: 'NOT_A_JAR' });
});
