import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';

import type { NameRule } from '../../../../../daemon/software/package/archive/entry-name.ts';
import {
  MAXIMUM_ENTRIES,
  readZipDirectory,
} from '../../../../../daemon/software/package/archive/zip-directory.ts';
import type { ZipEntry } from '../../../../../daemon/software/package/archive/zip-directory.ts';
import { buildZip } from '../../../../support/zip-builder.ts';
import type { ZipOptions, ZipPart } from '../../../../support/zip-builder.ts';

function read(bytes: Buffer, rule: NameRule = 'PORTABLE'): readonly ZipEntry[] {
  return readZipDirectory(
    (position, length) => bytes.subarray(position, position + length),
    bytes.length,
    rule,
  );
}

const plain: ZipPart = { name: 'a.txt', content: 'content' };
const described: ZipPart = { ...plain, hasDescriptor: true, isCompressed: false };

/** The true values behind another signature, or behind none. */
function writeDescriptor(signature?: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(signature ?? 0, 0);
  bytes.writeUInt32LE(crc32('content'), 4);
  bytes.writeUInt32LE(7, 8);
  bytes.writeUInt32LE(7, 12);
  return signature === undefined ? bytes.subarray(4) : bytes;
}
const misnamed = writeDescriptor(0x01_02_03_04);

test('entries are listed in the order of their bytes, with the position of their content', () => {
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

test('a data descriptor is accepted with its signature and without, and with every effort to compress', () => {
  for (const descriptor of [writeDescriptor(0x08_07_4b_50), writeDescriptor()]) {
    assert.equal(read(buildZip([{ ...described, descriptor }])).length, 1);
  }
  for (const flags of [0x0002, 0x0004, 0x0006, 0x0800]) {
    assert.equal(read(buildZip([{ ...plain, flags, local: { flags: flags & 0x0800 } }])).length, 1);
  }
});

const REFUSED: readonly (readonly [what: string, parts: readonly ZipPart[], options?: ZipOptions])[] = [
  ['a name that leads to the parent folder', [{ name: '../a' }]],
  ['a name that leads to the parent folder in the middle', [{ name: 'a/../../b' }]],
  ['an absolute name', [{ name: '/etc/cron.d/a' }]],
  ['a name with a drive', [{ name: 'C:a' }]],
  ['a name with a backslash', [{ name: 'a\\b' }]],
  ['a name with NUL', [{ name: 'a\0b' }]],
  ['a name with a space', [{ name: 'a b' }]],
  ['a name that is not UTF-8', [{ name: Buffer.from([0xff, 0xfe]) }]],
  ['a name with an empty segment', [{ name: 'a//b' }]],
  ['a name that is a dot', [{ name: './a' }]],
  ['an empty name', [{ name: '' }]],
  ['a name of 201 characters', [{ name: 'a'.repeat(201) }]],
  ['a repeated name', [plain, plain]],
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
  ['compressed patched data', [{ ...plain, flags: 0x20 }]],
  ['masked headers', [{ ...plain, flags: 0x2000 }]],
  ...[0x10, 0x80, 0x100, 0x200, 0x400, 0x1000, 0x4000, 0x8000].map(
    (flags) => [`the unknown flag ${flags.toString(16)}`, [{ ...plain, flags }]] as const,
  ),
  ['another checksum in the data descriptor', [{ ...described, descriptor: { crc32: 1 } }]],
  ['another size in the data descriptor', [{ ...described, descriptor: { sizeBytes: 1 } }]],
  ['another compressed size in the data descriptor', [{ ...described, descriptor: { compressedBytes: 1 } }]],
  ['zeros for a data descriptor', [{ ...described, descriptor: Buffer.alloc(16) }]],
  ['zeros for a data descriptor without signature', [{ ...described, descriptor: Buffer.alloc(12) }]],
  ['a data descriptor with another signature', [{ ...described, descriptor: misnamed }]],
  ['a data descriptor of ZIP64', [{ ...described, descriptor: Buffer.alloc(24) }]],
  ['no data descriptor where one is announced', [{ ...described, descriptor: Buffer.alloc(0) }]],
  ['an unknown compression method', [{ ...plain, method: 14 }]],
  ['a decompression bomb', [{ name: 'a', content: Buffer.alloc(10_485_760) }]],
  [
    'too large a total size',
    Array.from({ length: 3 }, (_, index) => ({
      name: `a${index}`,
      central: { sizeBytes: 100_000_000, compressedBytes: 1_000_000 },
      local: { sizeBytes: 100_000_000, compressedBytes: 1_000_000 },
    })),
  ],
  ['sizes of a stored entry that differ', [{ name: 'a', isCompressed: false, central: { sizeBytes: 1 } }]],
  [
    'a ZIP64 size',
    [{ ...plain, central: { sizeBytes: 0xff_ff_ff_ff }, local: { sizeBytes: 0xff_ff_ff_ff } }],
  ],
  ['another name in the local header', [{ ...plain, local: { name: 'b.txt' } }]],
  ['another checksum in the local header', [{ ...plain, local: { crc32: 1 } }]],
  ['another size in the local header', [{ ...plain, local: { sizeBytes: 1 } }]],
  ['another compression method in the local header', [{ ...plain, local: { method: 0 } }]],
  ['other flags in the local header', [{ ...plain, local: { flags: 1 } }]],
  ['two entries that share their content', [plain, { name: 'b', central: { localHeaderAt: 0 } }]],
  ['an entry that starts after the directory', [{ ...plain, central: { localHeaderAt: 100_000 } }]],
  [
    'an entry whose declared length is too short',
    [{ ...plain, central: { compressedBytes: 1 }, local: { compressedBytes: 1 } }],
  ],
  ['bytes between entries and directory', [plain], { gap: Buffer.from('garbage') }],
  ['a comment', [plain], { comment: 'comment' }],
  ['fewer entries than there are', [plain, { name: 'b' }], { entryCount: 1 }],
  ['more entries than there are', [plain], { entryCount: 2 }],
  ['more entries than the limit', [plain], { entryCount: MAXIMUM_ENTRIES + 1 }],
  ['the ZIP64 marker instead of an entry count', [plain], { entryCount: 0xff_ff }],
  ['a directory of another length', [plain], { directoryBytes: 20 }],
  ['no entry', []],
];

for (const [what, parts, options] of REFUSED) {
  test(`an archive with ${what} is refused`, () => {
    assert.throws(() => read(buildZip(parts, options)), { reason: 'NOT_A_JAR' });
  });
}

test('an archive that is truncated, or has bytes before or after it, is refused', () => {
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

test('an archive that is not unpacked may contain names of Java classes, but none that lead outside', () => {
  assert.equal(
    read(buildZip([{ name: 'org/a/Outer$Inner.class' }, { name: 'Ünïcode b' }]), 'PRINTABLE').length,
    2,
  );
  for (const name of ['../a', '/a', 'a\\b', 'a\nb', 'C:a']) {
    assert.throws(() => read(buildZip([{ name }]), 'PRINTABLE'), { reason: 'NOT_A_JAR' }, name);
  }
});

test('a name of an entry that is not UTF-8 is refused', () => {
  const bytes = buildZip([{ name: 'a?b', content: '' }]);
  for (let at = bytes.indexOf('a?b'); at >= 0; at = bytes.indexOf('a?b')) bytes[at + 1] = 0xff;
  assert.throws(() => read(bytes, 'PRINTABLE'), { reason: 'NOT_A_JAR' });
});
