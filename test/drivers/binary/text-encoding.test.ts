import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeText, encodeText, TextFault, trimPadding } from '../../../drivers/binary/text-encoding.ts';

test('bytes that the encoding cannot have produced are no text', () => {
  assert.equal(decodeText(Buffer.of(0x41, 0xb0), 'ascii'), undefined);
  assert.equal(decodeText(Buffer.of(0x41, 0xb0), 'utf-8'), undefined);
  assert.equal(decodeText(Buffer.of(0x41, 0xb0), 'latin1'), 'A°');
  assert.equal(decodeText(Buffer.of(0xc2, 0xb0), 'utf-8'), '°');
});

test('a character that the encoding does not have is refused', () => {
  assert.throws(() => encodeText('°', 'ascii'), TextFault);
  assert.throws(() => encodeText('€', 'latin1'), TextFault);
  assert.throws(() => encodeText('\ud83c', 'utf-8'), TextFault);
  assert.deepEqual(encodeText('°', 'latin1'), Buffer.of(0xb0));
});

test('every byte is a character of Latin-1 and comes back', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  assert.deepEqual(encodeText(decodeText(bytes, 'latin1') ?? '', 'latin1'), bytes);
});

test('trimPadding removes spaces and NUL at the end, and only there', () => {
  assert.deepEqual([' a b \0 ', '\0', '', 'a\t'].map(trimPadding), [' a b', '', '', 'a\t']);
});
