import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { ConversionFault, createScaling } from '../../daemon/plant/asset/scaling.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { propertyTest } from './property-test.ts';

const raw = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
);
const factor = fc.oneof(
  fc.constantFrom(1, -1, 10, 100, 0.1, 0.01, 0.001, -0.5, 1.8, 3),
  fc.double({ min: -1000, max: 1000, noNaN: true }).filter((one) => Math.abs(one) > 1e-6),
);
const summand = fc.oneof(
  fc.constantFrom(0, -40, 273.15, 32),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);

function channelOf(
  valueType: ValueType,
  scaleOffsetType: Channel['scaleOffsetType'],
  valueScale: number,
  valueOffset: number,
): Channel {
  return {
    name: 'c',
    type: 'READ_WRITE',
    valueType,
    scaleOffsetType,
    valueScale,
    valueOffset,
    isEnabled: true,
    address: {},
  };
}

const cut = (number: number | bigint): bigint =>
  BigInt(typeof number === 'bigint' ? number : Math.trunc(number));
const BITS = { INTEGER: 31n, LONG: 63n } as const;

propertyTest(
  'integer arithmetic is exact, whatever the size, and refuses what its type does not hold',
  fc.property(
    fc.constantFrom('INTEGER', 'LONG'),
    fc.constantFrom('DEFINED_BY_VALUE_TYPE', 'LONG'),
    raw,
    factor,
    summand,
    (type, by, given, scale, offset) => {
      fc.pre(Math.trunc(scale) !== 0);
      const result = createScaling(channelOf(type, by, scale, offset)).toValue(given);
      const exact = cut(given) * cut(scale) + cut(offset);
      const isWithin = exact >= -(2n ** BITS[type]) && exact < 2n ** BITS[type];
      if (isWithin) assert.equal(result, type === 'LONG' ? exact : Number(exact));
      else assert.equal(result instanceof ConversionFault && result.code, 'VALUE_OUT_OF_RANGE');
    },
  ),
  10,
);

propertyTest(
  'a value that integer arithmetic takes for writing reads back equal, and is refused only when no raw value does',
  fc.property(
    fc.constantFrom('INTEGER', 'LONG'),
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: -1000, max: 1000 }),
    (type, whole, scale, offset) => {
      fc.pre(scale !== 0);
      const scaling = createScaling(channelOf(type, 'LONG', scale, offset));
      const value = type === 'LONG' ? BigInt(whole) : whole;
      const written = scaling.toRaw(value);
      if (written instanceof ConversionFault) assert.notEqual((whole - offset) % scale, 0);
      else assert.equal(scaling.toValue(written), value);
    },
  ),
  5,
);

propertyTest(
  'a value that floating arithmetic takes for writing reads back equal as INTEGER or LONG, and within rounding otherwise',
  fc.property(
    fc.constantFrom('INTEGER', 'LONG', 'DOUBLE', 'FLOAT'),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    factor,
    summand,
    (type, number, scale, offset) => {
      const scaling = createScaling(channelOf(type, 'DOUBLE', scale, offset));
      const value =
        type === 'LONG'
          ? cut(number)
          : type === 'INTEGER'
            ? Math.trunc(number)
            : type === 'FLOAT'
              ? Math.fround(number)
              : number;
      const written = scaling.toRaw(value);
      if (written instanceof ConversionFault) {
        assert.ok(type === 'INTEGER' || type === 'LONG');
        return;
      }
      const back = scaling.toValue(written);
      assert.ok(!(back instanceof ConversionFault));
      if (type === 'INTEGER' || type === 'LONG') return assert.equal(back, value === 0 ? back : value);
      const error = Math.abs(Number(back) - Number(value));
      const relative = type === 'FLOAT' ? 2 ** -23 : 2 ** -50;
      const bound = relative * Math.abs(Number(value)) + 2 ** -50 * Math.abs(offset) + 2 ** -1000;
      assert.ok(error <= bound, `${error}`);
    },
  ),
  10,
);

propertyTest(
  'a decimal raw value times a power of ten gives the whole number that its digits say',
  fc.property(
    fc.integer({ min: -100_000, max: 100_000 }),
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: -500, max: 500 }),
    (given, decimals, offset) => {
      // An instrument sends 0.57 and means 57 hundredths: none may get lost in rounding.
      const scale = 10 ** decimals;
      const result = createScaling(channelOf('INTEGER', 'DOUBLE', scale, offset)).toValue(
        Number(`${given}e-${decimals}`),
      );
      // Zero has a sign in neither JSON nor an INTEGER.
      assert.ok(result === given + offset);
    },
  ),
);

propertyTest(
  'floating arithmetic is that of doubles, and never gives infinity for a finite raw value',
  fc.property(
    fc.constantFrom('DOUBLE', 'FLOAT'),
    fc.double(),
    factor,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    (type, given, scale, offset) => {
      const result = createScaling(channelOf(type, 'DEFINED_BY_VALUE_TYPE', scale, offset)).toValue(given);
      const exact = given * scale + offset;
      const shown = type === 'FLOAT' ? Math.fround(exact) : exact;
      if (Number.isFinite(given) && !Number.isFinite(shown)) assert.ok(result instanceof ConversionFault);
      else assert.ok(Object.is(result, shown) || result === shown);
    },
  ),
  5,
);
