import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { scanArchive } from '../../../../../daemon/software/package/archive/archive-reader.ts';
import { extractEntry } from '../../../../../daemon/software/package/archive/entry-extraction.ts';
import type { ZipEntry } from '../../../../../daemon/software/package/archive/zip-directory.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';
import { buildZip } from '../../../../support/zip-builder.ts';
import type { ZipPart } from '../../../../support/zip-builder.ts';

// A short entry is written at once, a long one chunk by chunk: each must say and refuse the same.
const SIZES = { short: 1000, 'exactly one chunk': 262_144, long: 1_000_000 };

interface Archive {
  readonly file: string;
  readonly entry: ZipEntry;
  readonly target: string;
}

function writeArchive(t: TestContext, part: Omit<ZipPart, 'name'>): Archive {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'a.zip');
  writeFileSync(file, buildZip([{ name: 'part', ...part }]));
  const [entry] = scanArchive(file, 'PORTABLE');
  assert.ok(entry !== undefined);
  return { file, entry, target: path.join(directory, 'deep/below/part') };
}

function createContent(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * index) % 251));
}

function extract({ file, entry, target }: Archive): Promise<ReadonlyMap<string, string>> {
  return extractEntry(file, entry, target, ['sha256', 'sha512']);
}

for (const [size, length] of Object.entries(SIZES)) {
  const content = createContent(length);

  for (const isCompressed of [true, false]) {
    test(`a ${size} entry is written with its digests, ${isCompressed ? 'packed' : 'stored'}`, async (t) => {
      const archive = writeArchive(t, { content, isCompressed });
      const digests = await extract(archive);
      assert.ok(readFileSync(archive.target).equals(content));
      assert.equal(statSync(archive.target).mode & 0o777, 0o600);
      for (const algorithm of ['sha256', 'sha512']) {
        assert.equal(digests.get(algorithm), createHash(algorithm).update(content).digest('hex'));
      }
    });

    test(`a ${size} entry with a wrong checksum is refused, ${isCompressed ? 'packed' : 'stored'}`, async (t) => {
      const { file, entry, target } = writeArchive(t, { content, isCompressed });
      const wrong = { file, target, entry: { ...entry, crc32: entry.crc32 ^ 1 } };
      await assert.rejects(extract(wrong), { reason: 'NOT_A_JAR', message: /"part" has a wrong checksum/ });
    });
  }

  for (const [what, changed, message] of [
    ['longer', { sizeBytes: length - 1 }, /"part" is longer than its headers say/],
    ['shorter', { sizeBytes: length + 1 }, /"part" is shorter than its headers say/],
    ['without content', { sizeBytes: 0 }, /"part" is longer than its headers say/],
  ] as const) {
    test(`a ${size} entry that is ${what} in truth is refused`, async (t) => {
      const { file, entry, target } = writeArchive(t, { content });
      const changedEntry = { ...entry, ...changed };
      await assert.rejects(extract({ file, target, entry: changedEntry }), { reason: 'NOT_A_JAR', message });
    });
  }

  test(`a ${size} entry that is cut off, or has bytes behind its end, is refused`, async (t) => {
    const { file, entry, target } = writeArchive(t, { content });
    const { compressedBytes } = entry;
    const cut = { ...entry, compressedBytes: compressedBytes - 10 };
    await assert.rejects(extract({ file, target, entry: cut }), {
      reason: 'NOT_A_JAR',
      message: /"part" is (?:damaged|shorter)/,
    });
    const more = { ...entry, compressedBytes: compressedBytes + 10 };
    await assert.rejects(extract({ file, target: `${target}2`, entry: more }), {
      reason: 'NOT_A_JAR',
      message: /"part" contains unused bytes/,
    });
  });

  test(`a ${size} entry of an archive that became shorter is refused`, async (t) => {
    const { file, entry, target } = writeArchive(t, { content });
    writeFileSync(file, readFileSync(file).subarray(0, entry.contentAt + 20));
    await assert.rejects(extract({ file, target, entry }), { reason: 'NOT_A_JAR' });
  });

  test(`a ${size} entry is not written over a file that is there`, async (t) => {
    const archive = writeArchive(t, { content });
    await extract(archive);
    await assert.rejects(extract(archive), { code: 'EEXIST' });
  });
}

test('an empty entry becomes an empty file', async (t) => {
  for (const isCompressed of [true, false]) {
    const archive = writeArchive(t, { content: '', isCompressed });
    await extract(archive);
    assert.equal(readFileSync(archive.target).length, 0);
  }
});
