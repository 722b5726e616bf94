import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';

import {
  AgeError,
  decryptWithPassphrase,
  encryptWithPassphrase,
} from '../../../../daemon/cli/backup/age-file.ts';

async function* inPieces(content: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += bytes) yield content.subarray(start, start + bytes);
}

async function encrypt(content: Buffer, bytes = 65_536): Promise<Buffer> {
  return buffer(encryptWithPassphrase(inPieces(content, bytes), 'wasser marsch ü'));
}

for (const bytes of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_001]) {
  test(`decryptWithPassphrase gives ${bytes} bytes back that encryptWithPassphrase was given`, async () => {
    const content = Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 7) % 251));
    const plain = await buffer(
      decryptWithPassphrase(inPieces(await encrypt(content, 9973), 4099), 'wasser marsch ü'),
    );
    assert.deepEqual(plain, content);
  });
}

test('encryptWithPassphrase names a scrypt recipient with a work factor of 17 alone', async () => {
  const [version, recipient, , end] = (await encrypt(Buffer.from('a'))).toString('latin1').split('\n');
  assert.equal(version, 'age-encryption.org/v1');
  assert.match(recipient ?? '', /^-> scrypt [A-Za-z0-9+/]{22} 17$/);
  assert.match(end ?? '', /^--- [A-Za-z0-9+/]{43}$/);
});

test('encryptWithPassphrase gives other bytes for the same content each time', async () => {
  const content = Buffer.from('the same');
  assert.notDeepEqual(await encrypt(content), await encrypt(content));
});

test('decryptWithPassphrase reads no more of a header without an end than one may have', async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('age-encryption.org/v1\n-> scrypt ');
    for (;;) {
      given += 1;
      yield Buffer.alloc(4096, 'a');
    }
  }
  await assert.rejects(buffer(decryptWithPassphrase(endless(), 'password')), { code: 'AGE_HEADER' });
  assert.ok(given <= 17, `${given}`);
});

test('decryptWithPassphrase fails with the error of its source, and closes a source that it does not need', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield FILE;
    throw new RangeError('the source');
  }
  await assert.rejects(buffer(decryptWithPassphrase(failing(), 'password')), RangeError);
  let isClosed = false;
  async function* closing(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      isClosed = true;
    }
  }
  await assert.rejects(buffer(decryptWithPassphrase(closing(), 'password')), { code: 'AGE_HEADER' });
  assert.ok(isClosed);
});

// Its work factor is 10: a wrong passphrase is found soon.
const VECTOR = readFileSync(path.resolve(import.meta.dirname, '../../../vectors/age/scrypt'));
const FILE = VECTOR.subarray(VECTOR.indexOf('\n\n') + 2);

test('decryptWithPassphrase refuses a file that was cut at any place', async () => {
  for (let length = 0; length < FILE.length; length += 1) {
    const cut = inPieces(FILE.subarray(0, length), 4096);
    await assert.rejects(buffer(decryptWithPassphrase(cut, 'password')), AgeError, `${length}`);
  }
});

test('decryptWithPassphrase refuses a file of which any byte was changed', async () => {
  // The digits of the work factor are left out: another one takes long to try.
  const factor = FILE.indexOf(' 10\n');
  for (let place = 0; place < FILE.length; place += 1) {
    if (place === factor + 1 || place === factor + 2) continue;
    const changed = Buffer.from(FILE);
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    await assert.rejects(
      buffer(decryptWithPassphrase(inPieces(changed, 4096), 'password')),
      AgeError,
      `${place}`,
    );
  }
});
