import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { readPieces } from '../../../../daemon/base/file/file-pieces.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

async function openFile(t: TestContext, content: Uint8Array): Promise<FileHandle> {
  const file = path.join(createTemporaryDirectory(t), 'file');
  writeFileSync(file, content);
  return open(file);
}

test('the pieces are the content in its order, in one buffer', async (t) => {
  const content = randomBytes(300_001);
  const handle = await openFile(t, content);
  const copies: Buffer[] = [];
  const buffers = new Set<ArrayBufferLike>();
  for await (const piece of readPieces(handle)) {
    buffers.add(piece.buffer);
    copies.push(Buffer.from(piece));
  }
  assert.deepEqual(Buffer.concat(copies), content);
  assert.equal(buffers.size, 1);
  assert.equal(handle.fd, -1);
});

test('an empty file has no pieces and is closed', async (t) => {
  const handle = await openFile(t, Buffer.alloc(0));
  assert.equal((await readPieces(handle).next()).done, true);
  assert.equal(handle.fd, -1);
});

test('a file is closed by who reads no further, and by an abort', async (t) => {
  const content = randomBytes(300_001);
  const first = await openFile(t, content);
  for await (const piece of readPieces(first)) {
    assert.notEqual(piece.length, 0);
    break;
  }
  assert.equal(first.fd, -1);

  const second = await openFile(t, content);
  const controller = new AbortController();
  const pieces = readPieces(second, controller.signal);
  await pieces.next();
  controller.abort(new Error('the operation was cancelled'));
  await assert.rejects(pieces.next(), { message: 'the operation was cancelled' });
  assert.equal(second.fd, -1);
});
