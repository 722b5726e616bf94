import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { ArrayTextFault, formatArray, parseArray } from '../../daemon/channel/array-text.ts';
import type { ElementKind } from '../../daemon/channel/array-text.ts';
import { formatValue, parseValue } from '../../daemon/channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../daemon/channel/value-type.ts';
import { fromWireValue, toWireValue } from '../../daemon/software/bundle/message/wire-value.ts';
import { propertyTest } from './property-test.ts';

const float32 = fc.oneof(
  fc.float(),
  fc.nat(0xff_ff_ff_ff).map((bits) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, bits);
    return view.getFloat32(0);
  }),
  // Around powers of two the distance of neighbours changes.
  fc.tuple(fc.integer({ min: -149, max: 127 }), fc.integer({ min: -2, max: 2 })).map(([exponent, step]) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, 2 ** exponent);
    view.setInt32(0, Math.max(0, view.getInt32(0) + step));
    return view.getFloat32(0);
  }),
  fc.integer({ min: -999_999, max: 999_999 }).map((thousandths) => Math.fround(thousandths / 1000)),
);

const plainText = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed());
const bytes = fc.uint8Array({ maxLength: 12 });

const VALUES: Readonly<Record<ValueType, fc.Arbitrary<ChannelValue>>> = {
  BOOLEAN: fc.boolean(),
  BYTE_ARRAY: bytes,
  DOUBLE: fc.double(),
  FLOAT: float32,
  INTEGER: fc.integer(),
  LONG: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  STRING: plainText,
};
const typeAndValue = fc
  .constantFrom(...(Object.keys(VALUES) as ValueType[]))
  .chain((type) => fc.tuple(fc.constant(type), VALUES[type]));

// Zero has one text; its sign is not kept.
const withoutSign = (value: ChannelValue): ChannelValue =>
  value === 0 ? 0 : value instanceof Uint8Array ? [...value].join() : value;

// A reader that keeps all digits, as a client may be one.
function readJson(text: string): boolean | number | bigint | string {
  if (text.startsWith('"')) return JSON.parse(text) as string;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}

propertyTest(
  'the JSON text of a value is read back as the same value',
  fc.property(typeAndValue, ([type, value]) => {
    const text = formatValue(type, value);
    // Every client can read it, whatever becomes of the digits there.
    JSON.parse(text);
    const back = parseValue(type, readJson(text));
    assert.ok(back !== undefined, text);
    assert.deepEqual(withoutSign(back), withoutSign(value));
  }),
  5,
);

// Digits of the number without those that only place its point.
const digitsOf = (text: string): number =>
  text
    .replace(/e.*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '').length;

// Some decimal of so many digits reads back: the nearest below or above.
function canBeWritten(value: number, digits: number): boolean {
  const [units = '', exponent = ''] = value.toExponential(digits - 1).split('e');
  const scale = Number(exponent) - (digits - 1);
  const nearest = BigInt(units.replace('.', ''));
  return [-1n, 0n, 1n].some((step) => Math.fround(Number(`${nearest + step}e${scale}`)) === value);
}

propertyTest(
  'no shorter decimal than the text of a FLOAT reads back as the same 32-bit float',
  fc.property(float32, (value) => {
    fc.pre(Number.isFinite(value) && value !== 0);
    const text = formatValue('FLOAT', value);
    assert.equal(Math.fround(Number(text)), value);
    const shortest = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((digits) => canBeWritten(value, digits));
    assert.equal(digitsOf(text), shortest, text);
  }),
  25,
);

const nearBorder = (border: bigint): fc.Arbitrary<bigint> =>
  fc.tuple(fc.constantFrom(border, -border), fc.bigInt({ min: -3n, max: 3n })).map(([at, step]) => at + step);

propertyTest(
  'INTEGER and LONG are exactly the numbers of 32 and 64 bits, written in digits',
  fc.property(
    fc.oneof(
      nearBorder(2n ** 31n),
      nearBorder(2n ** 63n),
      nearBorder(2n ** 53n),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    ),
    fc.constantFrom('', '+', '0', '00'),
    (number, before) => {
      const isWithin = (bits: bigint): boolean => number >= -(2n ** bits) && number < 2n ** bits;
      const text = number < 0n ? `-${before.replace('+', '')}${-number}` : `${before}${number}`;
      for (const input of [text, number]) {
        assert.equal(parseValue('INTEGER', input), isWithin(31n) ? Number(number) : undefined);
        assert.equal(parseValue('LONG', input), isWithin(63n) ? number : undefined);
      }
    },
  ),
  5,
);

propertyTest(
  'a text that is no number by the grammar is none for any type, and one that is has the value of JavaScript',
  fc.property(
    fc.oneof(
      fc.double({ noNaN: true }).map(String),
      fc.stringMatching(/^[+-]?\d{0,4}\.?\d{0,4}(?:[eE][+-]?\d{0,3})?$/),
      fc.string({
        unit: fc.constantFrom('0', '1', '9', '.', '-', '+', 'e', 'x', ' ', '_', 'n', ',', '\n', '٣'),
        maxLength: 6,
      }),
    ),
    (text) => {
      const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && !text.includes('\n');
      const expected = isNumber && Number.isFinite(Number(text)) ? Number(text) : undefined;
      const named: Readonly<Record<string, number>> = { Infinity, '-Infinity': -Infinity };
      assert.equal(parseValue('DOUBLE', text), named[text] ?? expected);
      const whole =
        /^[+-]?\d+$/.test(text) && !text.includes('\n') ? BigInt(text.replace('+', '')) : undefined;
      const isLong = whole !== undefined && BigInt.asIntN(64, whole) === whole;
      assert.equal(parseValue('LONG', text), isLong ? whole : undefined);
    },
  ),
  5,
);

propertyTest(
  'base64 is read with or without its padding, and nothing else is',
  fc.property(
    fc.oneof(
      bytes.map((some) => Buffer.from(some).toString('base64')),
      fc.string({ unit: fc.constantFrom('A', 'b', '/', '+', '=', '-', ' ', '\n'), maxLength: 9 }),
    ),
    fc.boolean(),
    (text, isBare) => {
      const given = isBare ? text.replace(/=+$/, '') : text;
      const body = given.replace(/={0,2}$/, '');
      const padding = given.length - body.length;
      const isBase64 =
        /^[A-Za-z0-9+/]*$/.test(body) &&
        !body.includes('\n') &&
        body.length % 4 !== 1 &&
        (padding === 0 || given.length % 4 === 0);
      const value = parseValue('BYTE_ARRAY', given);
      if (!isBase64) return assert.equal(value, undefined);
      assert.ok(value instanceof Uint8Array);
      const bits = body
        .split('')
        .map((one) =>
          'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
            .indexOf(one)
            .toString(2)
            .padStart(6, '0'),
        )
        .join('');
      assert.deepEqual(
        [...value],
        (bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)),
      );
    },
  ),
  5,
);

const ELEMENTS: Readonly<Record<ElementKind, fc.Arbitrary<ChannelValue>>> = {
  BOOLEAN: VALUES.BOOLEAN,
  BYTES: VALUES.BYTE_ARRAY,
  FLOAT32: VALUES.FLOAT,
  FLOAT64: VALUES.DOUBLE,
  INTEGER: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  STRING: VALUES.STRING,
};
const kindAndElements = fc
  .constantFrom(...(Object.keys(ELEMENTS) as ElementKind[]))
  .chain((kind) => fc.tuple(fc.constant(kind), fc.array(ELEMENTS[kind], { maxLength: 5 })));

propertyTest(
  'an array is JSON, read back element by element, with any white space, and only with its count',
  fc.property(kindAndElements, fc.constantFrom('', ' ', '\n\t'), ([kind, elements], space) => {
    const text = formatArray(kind, elements);
    assert.equal((JSON.parse(text) as unknown[]).length, elements.length);
    const spaced =
      kind === 'STRING' || kind === 'BYTES'
        ? `${space}${text}${space}`
        : text.replaceAll(',', `${space},${space}`);
    const back = parseArray(kind, spaced, elements.length);
    assert.ok(!(back instanceof ArrayTextFault));
    // The shortest decimal of a 32-bit float is another double.
    const read = kind === 'FLOAT32' ? back.map((one) => Math.fround(Number(one))) : back;
    assert.deepEqual(read.map(withoutSign), elements.map(withoutSign));
    assert.ok(parseArray(kind, text, elements.length + 1) instanceof ArrayTextFault);
  }),
  5,
);

propertyTest(
  'an array text that JSON does not know is refused, and one that it knows has its elements',
  fc.property(
    fc.oneof(
      fc.json({ maxDepth: 2 }),
      fc
        .string({
          unit: fc.constantFrom('[', ']', ',', '1', '"', '-', '.', 'e', ' ', 't', '\\', 'u', 'a'),
          maxLength: 8,
        })
        .map((inner) => `[${inner}]`),
    ),
    (text) => {
      let known: unknown;
      try {
        known = JSON.parse(text);
      } catch {
        known = undefined;
      }
      const elements = parseArray('STRING', text);
      const isList =
        Array.isArray(known) &&
        known.every((one) => typeof one === 'string' && one.isWellFormed() && !one.includes('\0'));
      if (isList) assert.deepEqual(elements, known);
      else assert.ok(elements instanceof ArrayTextFault);
    },
  ),
  10,
);

propertyTest(
  'a value survives the way to a bundle and back',
  fc.property(typeAndValue, ([, value]) => {
    const message = JSON.parse(JSON.stringify(toWireValue(value))) as ReturnType<typeof toWireValue>;
    assert.deepEqual(withoutSign(fromWireValue(message)), withoutSign(value));
  }),
);
