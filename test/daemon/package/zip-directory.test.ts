import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { NameRule } from '../../../daemon/package/entry-name.ts';
import { MAXIMUM_ENTRIES, readZipDirectory } from '../../../daemon/package/zip-directory.ts';
import type { ZipEntry } from '../../../daemon/package/zip-directory.ts';
import { buildZip } from '../../support/zip-builder.ts';
import type { ZipOptions, ZipPart } from '../../support/zip-builder.ts';

function read(bytes: Buffer, rule: NameRule = 'PORTABLE'): readonly ZipEntry[] {
  return readZipDirectory(
    (position, length) => bytes.subarray(position, position + length),
    bytes.length,
    rule,
  );
}

const plain: ZipPart = { name: 'a.txt', content: 'content' };

test('entries come in the order of their bytes, with the place of their content', () => {
  const bytes = buildZip([
    { name: 'META-INF/', isCompressed: false, mode: 0o40_755 },
    { name: 'META-INF/MANIFEST.MF', content: 'a: b', isCompressed: false, mode: 0o100_644 },
    { name: 'b', content: 'packed '.repeat(100), hasDescriptor: true },
  ]);
  const entries = read(bytes);
  assert.deepEqual(
    entries.map(({ name, isDirectory, isCompressed, sizeBytes }) => [
      name,
      isDirectory,
      isCompressed,
      sizeBytes,
    ]),
    [
      ['META-INF/', true, false, 0],
      ['META-INF/MANIFEST.MF', false, false, 4],
      ['b', false, true, 700],
    ],
  );
  const [, manifest] = entries;
  assert.ok(manifest);
  assert.equal(bytes.subarray(manifest.contentAt, manifest.contentAt + 4).toString(), 'a: b');
});

const REFUSED: readonly (readonly [what: string, parts: readonly ZipPart[], options?: ZipOptions])[] = [
  ['a name that leads up', [{ name: '../a' }]],
  ['a name that leads up in the middle', [{ name: 'a/../../b' }]],
  ['an absolute name', [{ name: '/etc/cron.d/a' }]],
  ['a name with a drive', [{ name: 'C:a' }]],
  ['a name with a backslash', [{ name: 'a\\b' }]],
  ['a name with NUL', [{ name: 'a\0b' }]],
  ['a name with a space', [{ name: 'a b' }]],
  ['a name that is no UTF-8', [{ name: Buffer.from([0xff, 0xfe]) }]],
  ['a name with an empty segment', [{ name: 'a//b' }]],
  ['a name that is a dot', [{ name: './a' }]],
  ['an empty name', [{ name: '' }]],
  ['a name of 201 characters', [{ name: 'a'.repeat(201) }]],
  ['a name twice', [plain, plain]],
  ['names that differ in case', [{ name: 'a' }, { name: 'A' }]],
  ['directories that differ in case', [{ name: 'a/b' }, { name: 'A/c' }]],
  ['a file that is a directory as well', [{ name: 'a' }, { name: 'a/b' }]],
  ['a symbolic link', [{ name: 'a', content: '/etc/passwd', mode: 0o120_777 }]],
  ['a device', [{ name: 'a', mode: 0o060_644 }]],
  ['a pipe', [{ name: 'a', mode: 0o010_644 }]],
  ['a file with the type of a directory', [{ name: 'a', mode: 0o040_755 }]],
  ['a directory with content', [{ name: 'a/', content: 'content', isCompressed: false }]],
  ['an encrypted entry', [{ ...plain, flags: 1 }]],
  ['a strongly encrypted entry', [{ ...plain, flags: 0x40 }]],
  ['another way of packing', [{ ...plain, method: 14 }]],
  ['a bomb', [{ name: 'a', content: Buffer.alloc(10_485_760) }]],
  [
    'too much in all',
    Array.from({ length: 3 }, (_, index) => ({
      name: `a${index}`,
      central: { sizeBytes: 100_000_000, compressedBytes: 1_000_000 },
      local: { sizeBytes: 100_000_000, compressedBytes: 1_000_000 },
    })),
  ],
  ['sizes of a stored entry that differ', [{ name: 'a', isCompressed: false, central: { sizeBytes: 1 } }]],
  [
    'a size of ZIP64',
    [{ ...plain, central: { sizeBytes: 0xff_ff_ff_ff }, local: { sizeBytes: 0xff_ff_ff_ff } }],
  ],
  ['another name in the local header', [{ ...plain, local: { name: 'b.txt' } }]],
  ['another checksum in the local header', [{ ...plain, local: { crc32: 1 } }]],
  ['another size in the local header', [{ ...plain, local: { sizeBytes: 1 } }]],
  ['another way of packing in the local header', [{ ...plain, local: { method: 0 } }]],
  ['other flags in the local header', [{ ...plain, local: { flags: 1 } }]],
  ['two entries with one content', [plain, { name: 'b', central: { localHeaderAt: 0 } }]],
  ['an entry that begins behind the directory', [{ ...plain, central: { localHeaderAt: 100_000 } }]],
  [
    'an entry that is shorter than it says',
    [{ ...plain, central: { compressedBytes: 1 }, local: { compressedBytes: 1 } }],
  ],
  ['bytes between entries and directory', [plain], { gap: Buffer.from('garbage') }],
  ['a comment', [plain], { comment: 'comment' }],
  ['fewer entries than there are', [plain, { name: 'b' }], { entryCount: 1 }],
  ['more entries than there are', [plain], { entryCount: 2 }],
  ['more entries than are taken', [plain], { entryCount: MAXIMUM_ENTRIES + 1 }],
  ['the mark of ZIP64 in place of a number of entries', [plain], { entryCount: 0xff_ff }],
  ['a directory of another length', [plain], { directoryBytes: 20 }],
  ['no entry', []],
];

for (const [what, parts, options] of REFUSED) {
  test(`an archive with ${what} is refused`, () => {
    assert.throws(() => read(buildZip(parts, options)), { reason: 'NOT_A_JAR' });
  });
}

test('an archive that is cut anywhere, or has bytes before or behind it, is refused', () => {
  const bytes = buildZip([plain, { name: 'b', content: 'more' }]);
  assert.equal(read(bytes).length, 2);
  for (let length = 0; length < bytes.length; length += 1) {
    assert.throws(() => read(bytes.subarray(0, length)), { reason: 'NOT_A_JAR' }, `${length} bytes`);
  }
  assert.throws(() => read(Buffer.concat([Buffer.from('#!/bin/sh\n'), bytes])), { reason: 'NOT_A_JAR' });
  assert.throws(() => read(Buffer.concat([bytes, Buffer.from('garbage')])), { reason: 'NOT_A_JAR' });
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07_06_4b_50, 0);
  const end = bytes.length - 22;
  const zip64 = Buffer.concat([bytes.subarray(0, end), locator, bytes.subarray(end)]);
  assert.throws(() => read(zip64), { reason: 'NOT_A_JAR', detail: /ZIP64/ });
});

test('an archive that is not unpacked may have names of Java, but none that lead elsewhere', () => {
  assert.equal(
    read(buildZip([{ name: 'org/a/Outer$Inner.class' }, { name: 'Ünïcode b' }]), 'PRINTABLE').length,
    2,
  );
  for (const name of ['../a', '/a', 'a\\b', 'a\nb', 'C:a']) {
    assert.throws(() => read(buildZip([{ name }]), 'PRINTABLE'), { reason: 'NOT_A_JAR' }, name);
  }
});
