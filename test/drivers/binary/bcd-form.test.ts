import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormFault, createBcdForm } from '../../../drivers/binary/binary-form.ts';

const BOTH_WAYS: readonly (readonly [number, string, number | bigint])[] = [
  [2, '0000', 0],
  [2, '1234', 1234],
  [2, '9999', 9999],
  [3, '123456', 123_456],
  [4, '12345678', 12_345_678],
  [4, '99999999', 99_999_999],
  [8, '0000000000000001', 1n],
  [8, '9007199254740993', 9_007_199_254_740_993n],
  [8, '9999999999999999', 9_999_999_999_999_999n],
];

for (const [lengthBytes, bytes, value] of BOTH_WAYS) {
  test(`BCD ${bytes} is ${value}, both ways`, () => {
    const form = createBcdForm(lengthBytes);
    assert.equal(form.decode(Buffer.from(bytes, 'hex')), value);
    assert.deepEqual(form.encode(value), Buffer.from(bytes, 'hex'));
  });
}

test('BCD with a digit above 9 at any position is no number', () => {
  const form = createBcdForm(2);
  for (let number = 0; number <= 0xffff; number += 1) {
    const bytes = Buffer.of(number >> 8, number & 0xff);
    const digits = number.toString(16).padStart(4, '0');
    const value = form.decode(bytes);
    if (/^\d{4}$/.test(digits)) assert.equal(value, Number(digits));
    else assert.ok(value instanceof FormFault && value.code === 'VALUE_NOT_DECODABLE', digits);
  }
});

test('the reason why BCD is no number shows its bytes', () => {
  const fault = createBcdForm(2).decode(Buffer.from('12a4', 'hex'));
  assert.ok(fault instanceof FormFault);
  assert.equal(fault.message, 'the device holds 12a4, which is not a BCD number');
});

test('BCD takes the nearest whole number that has its digits, and nothing else', () => {
  const { encode } = createBcdForm(2);
  assert.deepEqual(encode(12.5), Buffer.from('0013', 'hex'));
  assert.deepEqual(encode(true), Buffer.from('0001', 'hex'));
  for (const [value, code] of [
    [10_000, 'VALUE_OUT_OF_RANGE'],
    [9999.5, 'VALUE_OUT_OF_RANGE'],
    [-1, 'VALUE_OUT_OF_RANGE'],
    [2n ** 64n, 'VALUE_OUT_OF_RANGE'],
    [Number.NaN, 'VALUE_OUT_OF_RANGE'],
    [Infinity, 'VALUE_OUT_OF_RANGE'],
    ['12', 'VALUE_TYPE_MISMATCH'],
    [Buffer.alloc(2), 'VALUE_TYPE_MISMATCH'],
  ] as const) {
    const fault = encode(value);
    assert.ok(fault instanceof FormFault);
    assert.equal(fault.code, code);
  }
});
