import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toBase32 } from '../../../../../daemon/security/identity/second-factor/base32.ts';

// RFC 4648, 10; the other vectors there have padding.
test('toBase32 writes the vectors of RFC 4648', () => {
  assert.equal(toBase32(Buffer.from('')), '');
  assert.equal(toBase32(Buffer.from('fooba')), 'MZXW6YTB');
});

test('toBase32 has a character for each value of five bits', () => {
  const everyValue = Buffer.from('00443214c74254b635cf84653a56d7c675be77df', 'hex');
  assert.equal(toBase32(everyValue), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
});

test('toBase32 refuses what would need padding', () => {
  assert.throws(() => toBase32(Buffer.from('foob')), RangeError);
});
