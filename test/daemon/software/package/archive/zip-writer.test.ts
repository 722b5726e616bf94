import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';

import { readZipDirectory } from '../../../../../daemon/software/package/archive/zip-directory.ts';
import { writeZip } from '../../../../../daemon/software/package/archive/zip-writer.ts';
import {
  FIRST_TIME,
  parseSourceDate,
  toZipTime,
} from '../../../../../daemon/software/package/archive/zip-time.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';
import { programOf } from '../../../../support/tools.ts';
import { needs } from '../../../../support/tests-that-need.ts';

const read = (zip: Buffer) =>
  readZipDirectory((at, length) => zip.subarray(at, at + length), zip.length, 'PORTABLE');

test(
  'writeZip writes an archive that the gateway and Python read, in the given order',
  needs('python3'),
  (t) => {
    const folder = createTemporaryDirectory(t);
    const content = Buffer.from('a line\n'.repeat(100));
    const files = [
      { name: 'b/text', content },
      { name: 'a', content: Buffer.from('short') },
      { name: 'empty', content: Buffer.alloc(0) },
    ];
    const zip = writeZip(files, FIRST_TIME);
    assert.deepEqual(
      read(zip).map(({ name, sizeBytes, crc32: checksum, isCompressed }) => [
        name,
        sizeBytes,
        checksum,
        isCompressed,
      ]),
      [
        ['b/text', 700, crc32(content), true],
        ['a', 5, crc32('short'), false],
        ['empty', 0, 0, false],
      ],
    );
    const file = path.join(folder, 'a.zip');
    writeFileSync(file, zip);
    const python = programOf('python3');
    assert.match(execFileSync(python, ['-m', 'zipfile', '-t', file], { encoding: 'utf8' }), /^Done testing/);
    execFileSync(python, ['-m', 'zipfile', '-e', file, path.join(folder, 'out')]);
    execFileSync('cmp', [path.join(folder, 'out/b/text'), '-'], { input: content });
  },
);

test('writeZip writes the same bytes in every time zone', (t) => {
  const { TZ } = process.env;
  t.after(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  const files = [{ name: 'a', content: Buffer.from('a line\n'.repeat(100)) }];
  const write = (zone: string): Buffer => {
    process.env['TZ'] = zone;
    return writeZip(files, parseSourceDate('1795268759'));
  };
  const utc = write('UTC');
  for (const zone of ['America/New_York', 'Asia/Kolkata']) {
    assert.deepEqual(write(zone), utc, zone);
    assert.notEqual(new Date(1_795_268_759_000).getTimezoneOffset(), 0, `${zone} is in effect`);
  }
});

test('writeZip does not compress content that readers would refuse as a decompression bomb', () => {
  const zeros = Buffer.alloc(2_000_000);
  const [entry] = read(writeZip([{ name: 'zeros', content: zeros }], FIRST_TIME));
  assert.deepEqual([entry?.isCompressed, entry?.compressedBytes], [false, zeros.length]);
});

test('parseSourceDate reads seconds since 1970 in UTC, and returns 1980 for earlier dates and for none', () => {
  const modified = parseSourceDate(String(Date.UTC(2026, 10, 21, 13, 45, 59) / 1000));
  assert.deepEqual(modified, {
    date: ((2026 - 1980) << 9) | (11 << 5) | 21,
    time: (13 << 11) | (45 << 5) | 29,
  });
  assert.deepEqual(parseSourceDate(undefined), FIRST_TIME);
  assert.deepEqual(parseSourceDate('0'), FIRST_TIME);
  assert.deepEqual(toZipTime(1e11), { date: (127 << 9) | (12 << 5) | 31, time: 0 });
  assert.throws(() => parseSourceDate('tomorrow'), { code: 'TIME_INVALID' });
});
