import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatValue, parseValue } from '../../../daemon/channel/value-json.ts';
import type { JsonScalar } from '../../../daemon/channel/value-syntax.ts';
import { VALUE_TYPES } from '../../../daemon/channel/value-type.ts';
import type { ValueType } from '../../../daemon/channel/value-type.ts';
import { createRandom } from '../../support/random.ts';

const LONGS = [
  0n,
  -1n,
  9007199254740993n,
  -9007199254740993n,
  9223372036854775807n,
  -9223372036854775808n,
] as const;

function assertRefused(valueType: ValueType, inputs: readonly JsonScalar[]): void {
  for (const input of inputs) {
    assert.equal(parseValue(valueType, input), undefined, `${valueType} ${typeof input} ${String(input)}`);
  }
}

test('formatValue writes a LONG with every digit', () => {
  for (const value of LONGS) assert.equal(formatValue('LONG', value), value.toString());
});

test('parseValue reads a LONG with every digit, from a number and from text', () => {
  for (const value of LONGS) {
    assert.equal(parseValue('LONG', value), value);
    assert.equal(parseValue('LONG', value.toString()), value);
  }
  assert.equal(parseValue('LONG', 1e3), 1000n);
});

test('parseValue refuses a LONG beyond 64 bits', () => {
  assertRefused('LONG', [2n ** 63n, -(2n ** 63n) - 1n, '9223372036854775808', '-9223372036854775809']);
});

test('parseValue refuses a number for a LONG whose digits were lost before', () => {
  assertRefused('LONG', [2 ** 53, 1e18, -1e18, 2 ** 63]);
});

test('parseValue refuses an INTEGER beyond 32 bits and accepts the extremes', () => {
  assert.equal(parseValue('INTEGER', 2147483647), 2147483647);
  assert.equal(parseValue('INTEGER', '-2147483648'), -2147483648);
  assertRefused('INTEGER', [2147483648, -2147483649, '2147483648', 2n ** 64n, Infinity]);
});

test('parseValue refuses an INTEGER or LONG with a fraction, and text that is not a decimal number', () => {
  const wrong = [
    1.5,
    NaN,
    Infinity,
    '1.0',
    '1.5',
    '1e3',
    'NaN',
    'Infinity',
    true,
    false,
    '0x10',
    '0b1',
    '1_000',
  ];
  assertRefused('INTEGER', wrong);
  assertRefused('LONG', wrong);
});

test('parseValue refuses white space, hexadecimal digits and empty text for every kind of number', () => {
  const wrong = [
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '\t1',
    '1 2',
    '0x1F',
    '0o7',
    '1,5',
    '+',
    '-',
    '--1',
    '1n',
    '١',
    'null',
  ];
  for (const valueType of ['INTEGER', 'LONG', 'FLOAT', 'DOUBLE'] as const) assertRefused(valueType, wrong);
});

test('parseValue reads signs and leading zeros as decimal', () => {
  assert.equal(parseValue('INTEGER', '+7'), 7);
  assert.equal(parseValue('INTEGER', '-007'), -7);
  assert.equal(parseValue('LONG', '+0000000000000000000012'), 12n);
  assert.equal(parseValue('DOUBLE', '+.5'), 0.5);
  assert.equal(parseValue('DOUBLE', '1.'), 1);
  assert.equal(parseValue('DOUBLE', '-12.5E-1'), -1.25);
});

test('parseValue refuses numbers too large for a DOUBLE or FLOAT', () => {
  assertRefused('DOUBLE', [Infinity, -Infinity, '1e999', '-1e999', 10n ** 400n]);
  assertRefused('FLOAT', [1e39, '3.5e38', -3.4028236e38, Infinity, '1e999']);
  assert.equal(parseValue('FLOAT', '3.4028235e38'), 3.4028234663852886e38);
});

test('parseValue refuses a boolean for a DOUBLE or FLOAT', () => {
  assertRefused('DOUBLE', [true, 'true', 'e5', '.', '-.', '1e', '1e+']);
  assertRefused('FLOAT', [false, 'false']);
});

test('NaN and both infinities are strings in both directions', () => {
  for (const valueType of ['FLOAT', 'DOUBLE'] as const) {
    for (const value of [NaN, Infinity, -Infinity]) {
      assert.equal(formatValue(valueType, value), `"${value}"`);
      assert.equal(parseValue(valueType, String(value)), value);
    }
    assertRefused(valueType, ['nan', 'infinity', '+Infinity', 'INF', 'toString', '__proto__', 'constructor']);
  }
});

test('a FLOAT and a DOUBLE keep a negative zero, an INTEGER and a LONG have none', () => {
  for (const valueType of ['FLOAT', 'DOUBLE'] as const) {
    assert.equal(formatValue(valueType, -0), '-0');
    for (const input of [-0, '-0', '-0.0', '-0e5']) assert.ok(Object.is(parseValue(valueType, input), -0));
    for (const input of [0, '0', '+0.0', 0n]) assert.ok(Object.is(parseValue(valueType, input), 0));
  }
  for (const input of [-0, '-0', 0n]) {
    assert.ok(Object.is(parseValue('INTEGER', input), 0));
    assert.equal(parseValue('LONG', input), 0n);
  }
});

test('parseValue accepts for a BOOLEAN only true, false and their text in any case', () => {
  assert.deepEqual(
    [true, 'true', 'TRUE', 'True', false, 'false', 'FALSE'].map((input) => parseValue('BOOLEAN', input)),
    [true, true, true, true, false, false, false],
  );
  assertRefused('BOOLEAN', [0, 1, 0n, 1n, '0', '1', ' true', 'yes', 'constructor', '']);
});

test('formatValue writes a BOOLEAN as JSON', () => {
  assert.deepEqual([formatValue('BOOLEAN', true), formatValue('BOOLEAN', false)], ['true', 'false']);
});

test('parseValue returns the text of numbers and booleans for a STRING', () => {
  assert.deepEqual(
    ['', ' a ', 12.5, 9007199254740993n, true].map((input) => parseValue('STRING', input)),
    ['', ' a ', '12.5', '9007199254740993', 'true'],
  );
});

test('parseValue refuses a STRING with NUL or half of a surrogate pair', () => {
  assertRefused('STRING', ['\0', 'a\0b', '\ud800', 'a\udc00']);
});

test('formatValue writes a STRING that JSON reads back', () => {
  for (const value of ['', '"\\\u0000\n\u2028</script>', 'Füllstand °C 😀', '\ud800']) {
    assert.equal(JSON.parse(formatValue('STRING', value)), value);
  }
});

test('BYTE_ARRAY is base64 in both directions, also for a view into a larger buffer', () => {
  const view = new Uint8Array([1, 2, 3, 250, 251, 252, 253]).subarray(3, 6);
  assert.equal(formatValue('BYTE_ARRAY', view), '"+vv8"');
  assert.deepEqual(parseValue('BYTE_ARRAY', '+vv8'), Buffer.from([250, 251, 252]));
  assert.deepEqual(parseValue('BYTE_ARRAY', 'AA=='), Buffer.from([0]));
  assert.deepEqual(parseValue('BYTE_ARRAY', ''), Buffer.alloc(0));
  assert.equal(formatValue('BYTE_ARRAY', new Uint8Array()), '""');
});

test('parseValue reads base64 with and without its padding', () => {
  const hex = (text: string) => Buffer.from(parseValue('BYTE_ARRAY', text) as Uint8Array).toString('hex');
  assert.deepEqual(['AQ==', 'AQ', 'AQI=', 'AQI', 'AQID', ''].map(hex), [
    '01',
    '01',
    '0102',
    '0102',
    '010203',
    '',
  ]);
});

test('parseValue refuses text that is not base64 of RFC 4648, 4', () => {
  assertRefused('BYTE_ARRAY', ['A', 'AA=', 'AA===', '=AAA', 'A=AA', 'AAAA=', ' AAAA', 'AAAA\n']);
  assertRefused('BYTE_ARRAY', ['-vv8', '_vv8', 'AA AA', 'AAÄA', 1234, true, 1234n]);
});

test('parseValue reads a megabyte of base64', () => {
  const bytes = Buffer.alloc(1_000_000, 0xa5);
  assert.deepEqual(parseValue('BYTE_ARRAY', bytes.toString('base64')), bytes);
  assertRefused('BYTE_ARRAY', [`${bytes.toString('base64')}!`]);
});

test('every type reads back the value that it wrote', () => {
  const values = {
    BOOLEAN: true,
    BYTE_ARRAY: Buffer.from('penstock'),
    DOUBLE: 0.1 + 0.2,
    FLOAT: Math.fround(12.34),
    INTEGER: -2147483648,
    LONG: 9007199254740993n,
    STRING: '12,34',
  } as const;
  for (const valueType of VALUE_TYPES) {
    const text = formatValue(valueType, values[valueType]);
    const scalar = valueType === 'LONG' ? BigInt(text) : (JSON.parse(text) as JsonScalar);
    assert.deepEqual(parseValue(valueType, scalar), values[valueType]);
  }
});

test('formatValue writes a DOUBLE with as many digits as it needs', () => {
  assert.deepEqual(
    [0.1, 1e21, 5e-324, Number.MAX_VALUE].map((value) => formatValue('DOUBLE', value)),
    ['0.1', '1e+21', '5e-324', '1.7976931348623157e+308'],
  );
});

test('formatValue writes known FLOATs as their shortest decimal', () => {
  const known = [
    '12.34',
    '0.1',
    '0.3',
    '16777216',
    '1e-45',
    '3.4028235e38',
    '1.1754944e-38',
    '999.999',
    '0.001',
  ];
  for (const decimal of known.flatMap((text) => [text, `-${text}`])) {
    const text = formatValue('FLOAT', Math.fround(Number(decimal)));
    assert.equal(Number(text), Number(decimal), text);
    assert.ok(countDigits(text) <= countDigits(decimal), text);
  }
});

test('formatValue writes every power of two as its shortest FLOAT', () => {
  for (let exponent = -149; exponent <= 127; exponent += 1) {
    assertShortestFloat(2 ** exponent);
    assertShortestFloat(-(2 ** exponent));
  }
});

test('formatValue writes 100,000 FLOATs of any size as the shortest decimal that reads back', () => {
  const random = createRandom(20_241);
  const bits = new Uint32Array(1);
  const [float] = [new Float32Array(bits.buffer)];
  for (let count = 0; count < 100_000; count += 1) {
    bits[0] = Math.floor(random() * 2 ** 32);
    const value = float[0] ?? 0;
    if (Number.isFinite(value)) assertShortestFloat(value);
  }
});

test('formatValue writes the FLOATs of instruments as the shortest decimal that reads back', () => {
  for (let tenths = -20_000; tenths <= 20_000; tenths += 7) {
    for (const divisor of [1, 10, 1000, 100_000]) assertShortestFloat(Math.fround(tenths / divisor));
  }
});

function assertShortestFloat(value: number): void {
  const text = formatValue('FLOAT', value);
  if (Math.fround(Number(text)) !== value) assert.fail(`${text} does not read back as ${value}`);
  const digits = countDigits(text);
  if (digits < 2) return;
  // Decimals with one digit less lie one unit apart; only the two around the value can read back as it.
  const [units = '', exponent = ''] = value
    .toExponential(digits - 2)
    .replace('.', '')
    .split('e');
  for (const step of [-1, 0, 1]) {
    const shorter = `${Number(units) + step}e${Number(exponent) - digits + 2}`;
    if (Math.fround(Number(shorter)) === value) assert.fail(`${text} is longer than ${shorter}`);
  }
}

function countDigits(text: string): number {
  const mantissa = text.replace(/e.*$/, '').replace(/[-.]/g, '');
  return mantissa.replace(/^0+/, '').replace(/0+$/, '').length;
}
