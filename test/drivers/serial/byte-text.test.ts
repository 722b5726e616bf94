import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextFault } from '../../../drivers/binary/text-encoding.ts';
import { parseByteText, quoteBytes } from '../../../drivers/serial/byte-text.ts';

test('escapes and hex stand for their bytes, everything else for itself', () => {
  assert.deepEqual(
    parseByteText('\\x02W\\r\\n\\t\\0\\\\', 'ascii'),
    Buffer.from('\x02W\r\n\t\0\\', 'latin1'),
  );
  assert.deepEqual(parseByteText('W\r\n', 'ascii'), Buffer.from('W\r\n'));
  assert.deepEqual(parseByteText('hex:02 ff0A\n03', 'ascii'), Buffer.of(2, 255, 10, 3));
  assert.deepEqual(parseByteText('\\xb0°', 'latin1'), Buffer.of(0xb0, 0xb0));
  assert.deepEqual(parseByteText('°', 'utf-8'), Buffer.of(0xc2, 0xb0));
});

test('a text that means no bytes is refused', () => {
  for (const text of ['\\', 'a\\', '\\q', '\\x1', '\\xzz', 'hex:', 'hex:1', 'hex:1g']) {
    assert.throws(() => parseByteText(text, 'ascii'), TextFault, text);
  }
});

test('bytes of a device are quoted without control characters and cut', () => {
  assert.equal(quoteBytes(Buffer.from('OK\r\n\x1b"\\\xff', 'latin1')), '"OK\\r\\n\\x1b\\x22\\x5c\\xff"');
  assert.equal(quoteBytes(Buffer.alloc(100, 'a')), `"${'a'.repeat(64)}" and 36 bytes more`);
});
