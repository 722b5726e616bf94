import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FormFault } from '../../../../drivers/binary/binary-form.ts';
import { createMod10Form } from '../../../../drivers/modbus/value/mod10-form.ts';

const registersOf = (...values: readonly number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]));

const BOTH_WAYS = [
  [2, false, [0, 0], 0],
  [2, false, [9999, 9999], 99_999_999],
  [3, false, [1, 0, 1], 100_000_001],
  // Schneider Electric FA146443: registers 4567, 0123, 0, 0, the least significant first.
  [4, false, [0, 0, 123, 4567], 1_234_567n],
  [4, false, [9999, 9999, 9999, 9999], 9_999_999_999_999_999n],
  [2, true, [-12, -3456], -123_456],
  [3, true, [0, 0, -1], -1],
  [4, true, [-9999, -9999, -9999, -9999], -9_999_999_999_999_999n],
  [4, true, [9999, 9999, 9999, 9999], 9_999_999_999_999_999n],
] as const;

for (const [registers, isSigned, parts, value] of BOTH_WAYS) {
  test(`${isSigned ? 'signed' : 'unsigned'} MOD10 ${parts.join(' ')} is ${value}, both ways`, () => {
    const form = createMod10Form(registers, isSigned);
    assert.equal(form.decode(registersOf(...parts)), value);
    assert.deepEqual(form.encode(value), registersOf(...parts));
  });
}

test('MOD10 with a register beyond 9999 is no number', () => {
  for (const [isSigned, part] of [
    [false, 10_000],
    [false, 0xffff],
    [false, 0x8000],
    [true, 10_000],
    [true, -10_000],
    // How devices show that they have no value.
    [true, -32_768],
  ] as const) {
    const { decode } = createMod10Form(2, isSigned);
    for (const registers of [registersOf(part, 0), registersOf(0, part)]) {
      const fault = decode(registers);
      assert.ok(fault instanceof FormFault);
      assert.equal(fault.code, 'VALUE_NOT_DECODABLE');
    }
  }
});

test('MOD10 refuses numbers that it does not have', () => {
  for (const [isSigned, value] of [
    [false, -1],
    [false, 100_000_000],
    [true, -100_000_000],
    [true, Number.NaN],
  ] as const) {
    const fault = createMod10Form(2, isSigned).encode(value);
    assert.ok(fault instanceof FormFault);
    assert.equal(fault.code, 'VALUE_OUT_OF_RANGE');
  }
});
