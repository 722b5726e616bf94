import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { parseTextValue } from '../../../drivers/serial/response-reader.ts';
import { EncodeFault, encodeWrite } from '../../../drivers/serial/write-template.ts';
import { createChannel } from '../../support/serial-instrument-driver.ts';

test('numbers are read as instruments write them, whole ones with every digit', () => {
  const cases: readonly (readonly [text: string, value: number | bigint | undefined])[] = [
    ['+   12.50', 12.5],
    [' -.5 ', -0.5],
    ['1.5E-3', 0.0015],
    ['007', 7],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['1,5', undefined],
    ['', undefined],
    ['-', undefined],
    ['0x10', undefined],
    ['1e999', undefined],
    ['1 2', undefined],
  ];
  for (const [text, value] of cases) assert.equal(parseTextValue(text, 'DOUBLE', '.'), value, text);
  assert.equal(parseTextValue('1,5', 'DOUBLE', ','), 1.5);
  assert.equal(parseTextValue('1.000,5', 'DOUBLE', ','), undefined);
});

test('words are read as BOOLEAN and text as it stands', () => {
  assert.deepEqual(
    ['1', 'ON', 'true', '0', 'off', 'False', '2'].map((text) => parseTextValue(text, 'BOOLEAN', '.')),
    [true, true, true, false, false, false, undefined],
  );
  assert.equal(parseTextValue(' a ', 'STRING', '.'), ' a ');
});

test('a value is put into its text as the channel describes', () => {
  const encode = (value: ChannelValue, address: object, valueType: ValueType = 'DOUBLE'): string => {
    const encoded = encodeWrite(createChannel({ ...address }, valueType), value, { encoding: 'ascii' });
    return encoded instanceof EncodeFault ? encoded.code : encoded.bytes.toString('latin1');
  };
  const plain = { write: 'S {value}\\r\\n' };
  assert.equal(encode(0.1, plain), 'S 0.1\r\n');
  assert.equal(encode(Math.fround(0.1), plain, 'FLOAT'), 'S 0.1\r\n');
  assert.equal(encode(12.345, { ...plain, decimals: 1 }), 'S 12.3\r\n');
  assert.equal(encode(5n, { ...plain, decimals: 2 }, 'LONG'), 'S 5.00\r\n');
  assert.equal(encode(1e-9, plain), 'S 0.00000000100000000000\r\n');
  assert.equal(encode(true, { write: 'hex: 02 {value} 03' }, 'BOOLEAN'), '\x021\x03');
  assert.equal(encode(true, { write: 'hex:{value}' }, 'BOOLEAN'), '1');
  assert.equal(encode(true, { write: 'TARE\\r' }, 'BOOLEAN'), 'TARE\r');
  assert.equal(encode(1, { write: 'A{value}{checksum}' }), 'SERIAL_NOT_ENCODABLE');
  for (const refused of [Number.NaN, Infinity, 1e22]) {
    assert.equal(encode(refused, plain), 'VALUE_OUT_OF_RANGE');
  }
  assert.equal(encode('a\x00b', plain, 'STRING'), 'VALUE_OUT_OF_RANGE');
  assert.equal(encode('°', plain, 'STRING'), 'SERIAL_NOT_ENCODABLE');
});
