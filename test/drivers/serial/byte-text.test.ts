import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextFault } from '../../../drivers/binary/text-encoding.ts';
import { parseByteText, parseRequest, parseTemplate, quoteBytes } from '../../../drivers/serial/byte-text.ts';

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

test('a request is split at its checksum, and a write at its values as well', () => {
  const show = (sections: readonly (readonly Buffer[])[]) =>
    sections.map((section) => section.map((part) => part.toString('latin1')));
  assert.deepEqual(show([parseRequest('A{value}*{checksum}\\r', 'ascii')]), [['A{value}*', '\r']]);
  assert.deepEqual(show([parseRequest('hex: 02 41 {checksum} 03', 'ascii')]), [['\x02A', '\x03']]);
  assert.deepEqual(show(parseTemplate('A{value}*{checksum}\\r', 'ascii')), [['A', '*'], ['\r']]);
  assert.deepEqual(show(parseTemplate('hex:02 {value} 03 {checksum}', 'ascii')), [['\x02', '\x03'], ['']]);
  assert.throws(() => parseRequest('{checksum}{checksum}', 'ascii'), TextFault);
  assert.throws(() => parseTemplate('{value}{checksum}{checksum}', 'ascii'), TextFault);
  assert.throws(() => parseTemplate('hex:{value}0{checksum}', 'ascii'), TextFault);
});

test('bytes of a device are quoted without control characters and cut', () => {
  assert.equal(quoteBytes(Buffer.from('OK\r\n\x1b"\\\xff', 'latin1')), '"OK\\r\\n\\x1b\\x22\\x5c\\xff"');
  assert.equal(quoteBytes(Buffer.alloc(100, 'a')), `"${'a'.repeat(64)}" and 36 bytes more`);
});
