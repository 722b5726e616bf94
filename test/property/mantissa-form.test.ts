import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { FormFault } from '../../drivers/binary/binary-form.ts';
import { createMantissaForm } from '../../drivers/modbus/value/number-forms.ts';
import { propertyTest } from './property-test.ts';

const isExponentFirst = fc.boolean();

/** Reads mantissa and exponent bit by bit, and moves the point of the digits one place after the other. */
function readSlowly(bytes: readonly number[], isFirst: boolean): number {
  const signed = (part: readonly number[]): number => {
    const bits = part.map((byte) => byte.toString(2).padStart(8, '0')).join('');
    return Number.parseInt(bits, 2) - (bits.startsWith('1') ? 2 ** bits.length : 0);
  };
  const mantissa = signed(isFirst ? bytes.slice(1) : bytes.slice(0, 3));
  const exponent = signed(isFirst ? bytes.slice(0, 1) : bytes.slice(3));
  let digits = String(Math.abs(mantissa));
  if (exponent >= 0) digits += '0'.repeat(exponent);
  else {
    digits = digits.padStart(1 - exponent, '0');
    digits = `${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
  }
  return mantissa < 0 ? -Number(digits) : Number(digits);
}

propertyTest(
  'mantissa and exponent are the decimal that they spell',
  fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), isExponentFirst, (bytes, isFirst) => {
    const value = createMantissaForm(isFirst).decode(Buffer.from(bytes));
    assert.equal(value, readSlowly([...bytes], isFirst));
  }),
  5,
);

propertyTest(
  'what was decoded is encoded to registers of the same value',
  fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), isExponentFirst, (bytes, isFirst) => {
    const form = createMantissaForm(isFirst);
    const value = form.decode(Buffer.from(bytes));
    assert.ok(typeof value === 'number');
    const encoded = form.encode(value);
    assert.ok(!(encoded instanceof FormFault));
    assert.equal(readSlowly([...encoded], isFirst), value);
  }),
  5,
);

propertyTest(
  'any other number becomes the nearest of six digits at least, or is refused',
  fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), isExponentFirst, (value, isFirst) => {
    const encoded = createMantissaForm(isFirst).encode(value);
    const largest = 8_388_607e127;
    if (encoded instanceof FormFault) {
      assert.ok(Math.abs(value) > largest * (1 - 1e-6));
      return;
    }
    assert.ok(Math.abs(value) < largest * (1 + 1e-6));
    const error = Math.abs(readSlowly([...encoded], isFirst) - value);
    assert.ok(error <= Math.max(Math.abs(value) * 1e-6, 0.51e-128));
  }),
  5,
);
