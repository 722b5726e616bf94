import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  ConversionFault,
  createScaling,
  createWriteScaling,
} from '../../../../daemon/plant/asset/scaling.ts';
import type { Channel } from '../../../../daemon/channel/channel.ts';
import { SCALE_OFFSET_TYPES, usesIntegerArithmetic } from '../../../../daemon/channel/channel.ts';
import type { ChannelValue } from '../../../../daemon/channel/value-type.ts';
import { createRandom } from '../../../support/random.ts';
import { resolveNotAvailable } from '../../../../daemon/channel/unavailable/resolve-not-available.ts';
import { createChannel } from './channel-fixture.ts';

type Changes = Partial<Channel>;

interface Conversions {
  readonly toValue: (raw: ChannelValue) => ChannelValue | ConversionFault;
  readonly toRaw: (value: ChannelValue) => ChannelValue | ConversionFault;
}

function scale(changes: Changes): Conversions {
  const scaling = createScaling(createChannel(changes));
  return { toValue: (raw) => scaling.toValue(raw), toRaw: (value) => scaling.toRaw(value) };
}

function codeOf(outcome: ChannelValue | ConversionFault): string | undefined {
  return outcome instanceof ConversionFault ? outcome.code : undefined;
}

test('toValue truncates scale and offset to the value type first for DEFINED_BY_VALUE_TYPE on INTEGER', () => {
  assert.equal(scale({ valueType: 'INTEGER', valueScale: 3.25, valueOffset: 1.5 }).toValue(5), 16);
  assert.equal(scale({ valueType: 'LONG', valueScale: 3.25, valueOffset: 1.5 }).toValue(5), 16n);
});

test('toValue calculates with doubles and truncates the result for DOUBLE on INTEGER', () => {
  const changes = { valueScale: 3.25, valueOffset: 1.5, scaleOffsetType: 'DOUBLE' } as const;
  assert.equal(scale({ ...changes, valueType: 'INTEGER' }).toValue(5), 17);
  assert.equal(scale({ ...changes, valueType: 'LONG' }).toValue(5), 17n);
  assert.equal(scale({ ...changes, valueType: 'DOUBLE' }).toValue(5), 17.75);
});

test('a negative zero of a device stays one as FLOAT and DOUBLE, and arithmetic alone makes none', () => {
  for (const valueType of ['FLOAT', 'DOUBLE'] as const) {
    for (const changes of [{}, { valueScale: 0.1 }]) {
      assert.ok(Object.is(scale({ valueType, ...changes }).toValue(-0), -0));
      assert.ok(Object.is(scale({ valueType, ...changes }).toRaw(-0), -0));
    }
    assert.ok(Object.is(scale({ valueType, valueScale: -2 }).toValue(0), 0));
    assert.ok(Object.is(scale({ valueType, valueScale: -2 }).toRaw(0), 0));
  }
  const integer = { valueType: 'INTEGER', scaleOffsetType: 'DOUBLE', valueScale: 0.1 } as const;
  assert.ok(Object.is(scale({ valueType: 'INTEGER' }).toValue(-0), 0));
  for (const raw of [-0, -4]) assert.ok(Object.is(scale(integer).toValue(raw), 0));
  assert.equal(scale({ valueType: 'LONG' }).toValue(-0), 0n);
});

test('toValue truncates scale, offset and raw value to integers for LONG', () => {
  const changes = { valueScale: 3.25, valueOffset: 1.5, scaleOffsetType: 'LONG' } as const;
  for (const valueType of ['INTEGER', 'FLOAT', 'DOUBLE'] as const) {
    assert.equal(scale({ ...changes, valueType }).toValue(5.9), 16, valueType);
    assert.equal(scale({ ...changes, valueType }).toValue(-5.9), -14, valueType);
  }
});

test('toValue returns the integer that a product means and not the one below', () => {
  const changes = { valueType: 'INTEGER', scaleOffsetType: 'DOUBLE', valueScale: 100 } as const;
  assert.equal(scale(changes).toValue(0.57), 57);
  assert.equal(scale(changes).toValue(-0.57), -57);
  assert.equal(scale(changes).toValue(0.579), 57);
});

test('toValue returns the integer that is meant when an offset takes away most of the product', () => {
  const changes = { valueType: 'INTEGER', scaleOffsetType: 'DOUBLE', valueScale: 100 } as const;
  assert.equal(scale({ ...changes, valueOffset: -8 }).toValue(0.07), -1);
  assert.equal(scale({ ...changes, valueOffset: 8 }).toValue(-0.07), 1);
  assert.equal(scale({ ...changes, valueOffset: -7 }).toValue(0.07), 0);
  assert.equal(scale({ ...changes, valueOffset: -5 }).toValue(0.0699), 1);
});

test('toValue truncates a fraction towards zero on integer types', () => {
  for (const scaleOffsetType of SCALE_OFFSET_TYPES) {
    assert.equal(scale({ valueType: 'INTEGER', scaleOffsetType }).toValue(-7.9), -7);
    assert.equal(scale({ valueType: 'LONG', scaleOffsetType }).toValue(7.9), 7n);
  }
});

test('toValue reports overflow as a fault and never wraps a number', () => {
  const integer = { valueType: 'INTEGER' } as const;
  for (const scaleOffsetType of SCALE_OFFSET_TYPES) {
    for (const raw of [2 ** 31, -(2 ** 31) - 1, 2n ** 63n, 1e300, Infinity, NaN]) {
      assert.equal(
        codeOf(scale({ ...integer, scaleOffsetType }).toValue(raw)),
        'VALUE_OUT_OF_RANGE',
        `${raw}`,
      );
    }
    assert.equal(
      codeOf(scale({ ...integer, scaleOffsetType, valueScale: 2 }).toValue(2 ** 30)),
      'VALUE_OUT_OF_RANGE',
    );
    const long = scale({ valueType: 'LONG', scaleOffsetType, valueOffset: 1024 });
    for (const raw of [2n ** 63n, 2 ** 63, -(2 ** 64), 1e300, -Infinity, NaN]) {
      assert.equal(codeOf(long.toValue(raw)), 'VALUE_OUT_OF_RANGE', `${raw}`);
    }
  }
});

test('toValue reports a fault when a finite value overflows a FLOAT or DOUBLE', () => {
  assert.equal(codeOf(scale({ valueType: 'FLOAT' }).toValue(3.5e38)), 'VALUE_OUT_OF_RANGE');
  assert.equal(codeOf(scale({ valueType: 'FLOAT', valueScale: 10 }).toValue(3e38)), 'VALUE_OUT_OF_RANGE');
  assert.equal(codeOf(scale({ valueScale: 10 }).toValue(1e308)), 'VALUE_OUT_OF_RANGE');
});

test('toValue keeps NaN and infinities of FLOAT and DOUBLE', () => {
  for (const valueType of ['FLOAT', 'DOUBLE'] as const) {
    for (const value of [NaN, Infinity, -Infinity]) {
      for (const changes of [{}, { valueScale: 0.5, valueOffset: 3 }]) {
        assert.equal(scale({ valueType, ...changes }).toValue(value), value);
        assert.equal(scale({ valueType, ...changes }).toRaw(value), value);
      }
    }
  }
});

test('toValue keeps every digit of a LONG without scale, in each arithmetic', () => {
  for (const scaleOffsetType of SCALE_OFFSET_TYPES) {
    const { toValue, toRaw } = scale({ valueType: 'LONG', scaleOffsetType });
    for (const value of [9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      assert.equal(toValue(value), value);
      assert.equal(BigInt(toRaw(value) as number | bigint), value);
    }
  }
});

test('toValue reports a fault for an integer whose digits a DOUBLE without scale cannot hold', () => {
  const { toValue } = scale({ valueType: 'DOUBLE' });
  for (const value of [2n ** 63n - 1n, 2n ** 64n - 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n]) {
    assert.equal(codeOf(toValue(value)), 'VALUE_OUT_OF_RANGE', String(value));
  }
  assert.equal(toValue(2n ** 53n), 2 ** 53);
  assert.equal(toValue(-(2n ** 63n)), -(2 ** 63));
  // A scaled value is rounded by its nature.
  assert.equal(scale({ valueType: 'DOUBLE', valueScale: 0.5 }).toValue(2n ** 53n + 1n), 2 ** 52);
});

test('toValue calculates LONG exactly beyond 2^53', () => {
  const { toValue, toRaw } = scale({ valueType: 'LONG', valueScale: 3, valueOffset: -1 });
  assert.equal(toValue(3002399751580331n), 9007199254740992n);
  assert.equal(toValue(3002399751580331), 9007199254740992n);
  assert.equal(toRaw(9007199254740992n), 3002399751580331);
  assert.equal(toRaw(9223372036854775805n), 3074457345618258602n);
});

test('toValue stays exact for an INTEGER when only the product exceeds 53 bits', () => {
  const { toValue, toRaw } = scale({ valueType: 'INTEGER', valueScale: 2 ** 40, valueOffset: -(2 ** 60) });
  assert.equal(toRaw(0), 2 ** 20);
  assert.equal(toValue(2 ** 20), 0);
});

test('toValue reads a BOOLEAN from booleans, 0 and 1, and nothing else', () => {
  const { toValue, toRaw } = scale({ valueType: 'BOOLEAN', valueScale: 5, valueOffset: 1 });
  assert.deepEqual([true, 1, 1n, false, 0, 0n].map(toValue), [true, true, true, false, false, false]);
  for (const raw of [2, -1, 2n, 0.5, NaN, 'true', Buffer.from([1])]) {
    assert.equal(codeOf(toValue(raw)), 'VALUE_TYPE_MISMATCH');
  }
  assert.deepEqual([toRaw(true), toRaw(false)], [true, false]);
});

test('toValue reads a boolean of the device as 1 or 0 for numeric types', () => {
  assert.equal(scale({ valueType: 'INTEGER', valueScale: 2 }).toValue(true), 2);
  assert.equal(scale({ valueType: 'LONG' }).toValue(true), 1n);
  assert.equal(scale({ valueType: 'DOUBLE', valueOffset: 0.5 }).toValue(false), 0.5);
});

test('toValue reports a fault for a raw value of another kind', () => {
  for (const valueType of ['INTEGER', 'LONG', 'FLOAT', 'DOUBLE'] as const) {
    for (const raw of ['12', '', Buffer.from([1])]) {
      for (const scaleOffsetType of SCALE_OFFSET_TYPES) {
        const { toValue } = scale({ valueType, scaleOffsetType });
        assert.equal(codeOf(toValue(raw)), 'VALUE_TYPE_MISMATCH', valueType);
      }
    }
  }
  for (const raw of [1, 1n, true, Buffer.from('a')]) {
    assert.equal(codeOf(scale({ valueType: 'STRING' }).toValue(raw)), 'VALUE_TYPE_MISMATCH');
  }
  for (const raw of [1, 1n, true, 'a']) {
    assert.equal(codeOf(scale({ valueType: 'BYTE_ARRAY' }).toValue(raw)), 'VALUE_TYPE_MISMATCH');
  }
});

test('STRING and BYTE_ARRAY stay unchanged whatever the scale', () => {
  const bytes = Buffer.from([1, 2]);
  const text = scale({ valueType: 'STRING', valueScale: 3, scaleOffsetType: 'LONG' });
  const binary = scale({ valueType: 'BYTE_ARRAY', valueScale: 3, valueOffset: 1 });
  assert.deepEqual([text.toValue('7'), text.toRaw('7')], ['7', '7']);
  assert.deepEqual([binary.toValue(bytes), binary.toRaw(bytes)], [bytes, bytes]);
});

test('toRaw reports a fault when no raw value reads back as the requested one', () => {
  assert.equal(codeOf(scale({ valueType: 'INTEGER', valueScale: 10 }).toRaw(15)), 'VALUE_NOT_REPRESENTABLE');
  assert.equal(codeOf(scale({ valueType: 'LONG', valueScale: 3 }).toRaw(10n)), 'VALUE_NOT_REPRESENTABLE');
  const long = { scaleOffsetType: 'LONG', valueScale: 2 } as const;
  for (const value of [1, 2.5, NaN, Infinity]) {
    assert.equal(codeOf(scale(long).toRaw(value)), 'VALUE_NOT_REPRESENTABLE', `${value}`);
  }
  const double = { valueType: 'LONG', scaleOffsetType: 'DOUBLE', valueScale: 0.5 } as const;
  assert.equal(codeOf(scale(double).toRaw(9007199254740993n)), 'VALUE_NOT_REPRESENTABLE');
});

test('toRaw reports a fault, never an infinity, when a finite value leaves the range of doubles', () => {
  assert.equal(codeOf(scale({ valueScale: 0.1 }).toRaw(1.7e308)), 'VALUE_NOT_REPRESENTABLE');
  assert.equal(codeOf(scale({ valueScale: -1e-300 }).toRaw(-1e10)), 'VALUE_NOT_REPRESENTABLE');
});

test('toRaw without a scale returns values unchanged', () => {
  const cases: readonly (readonly [Changes, ChannelValue])[] = [
    [{ valueType: 'INTEGER', valueScale: 10, valueOffset: 3 }, 15],
    [{ valueType: 'LONG', valueScale: 3, scaleOffsetType: 'DOUBLE' }, 9007199254740993n],
    [{ valueType: 'FLOAT', valueScale: 0.1, scaleOffsetType: 'LONG' }, 2.5],
    [{ valueType: 'DOUBLE', valueOffset: -40 }, NaN],
    [{ valueType: 'BOOLEAN', valueScale: 2 }, true],
    [{ valueType: 'STRING', valueScale: 2 }, '7'],
  ];
  for (const [changes, value] of cases) {
    assert.equal(createWriteScaling(createChannel(changes), false).toRaw(value), value);
  }
});

test('toRaw returns the register that was read', () => {
  const temperature = scale({ valueType: 'FLOAT', valueScale: 0.1, valueOffset: -40 });
  for (let register = 0; register < 65_536; register += 13) {
    const raw = temperature.toRaw(temperature.toValue(register) as number);
    assert.equal(Math.round(raw as number), register);
  }
});

const SCALES = [1, -1, 2, 3.25, 10, -7.5, 1000, 2 ** 40, 0.1, 0.001, -0.25, 1 / 3];
const OFFSETS = [0, 1, -1.5, 40, -273.15, 1e6, -(2 ** 60)];

function listIntegerChannels(): readonly Channel[] {
  return (['INTEGER', 'LONG'] as const)
    .flatMap((valueType) =>
      SCALE_OFFSET_TYPES.flatMap((scaleOffsetType) =>
        SCALES.flatMap((valueScale) =>
          OFFSETS.map((valueOffset) =>
            createChannel({ valueType, scaleOffsetType, valueScale, valueOffset }),
          ),
        ),
      ),
    )
    .filter((channel) => !usesIntegerArithmetic(channel) || Math.trunc(channel.valueScale) !== 0);
}

test('every INTEGER and LONG that toRaw accepts reads back exactly', () => {
  const random = createRandom(7);
  let accepted = 0;
  for (const channel of listIntegerChannels()) {
    const { toValue, toRaw } = scale(channel);
    for (const value of listIntegers(channel, random)) {
      const raw = toRaw(value);
      if (raw instanceof ConversionFault) continue;
      accepted += 1;
      const back = toValue(raw);
      if (back !== value) assert.fail(`${value} does not read back: ${JSON.stringify(channel)}`);
    }
  }
  assert.ok(accepted > 5000, `${accepted} accepted`);
});

function listIntegers({ valueType }: Channel, random: () => number): readonly (number | bigint)[] {
  const edges = [0, 1, -1, 7, 65_535, 2 ** 31 - 1, -(2 ** 31)];
  const integers = [...edges, ...Array.from({ length: 40 }, () => Math.floor((random() - 0.5) * 2 ** 32))];
  if (valueType === 'INTEGER') return integers;
  const longs = Array.from({ length: 40 }, () => BigInt(Math.floor((random() - 0.5) * 2 ** 53)) * 1021n);
  return [...integers.map(BigInt), ...longs, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
}

test('a FLOAT or DOUBLE reads back within the resolution of its type', () => {
  const random = createRandom(11);
  for (const valueType of ['FLOAT', 'DOUBLE'] as const) {
    for (const valueScale of SCALES) {
      for (const valueOffset of OFFSETS) {
        const { toValue, toRaw } = scale({ valueType, valueScale, valueOffset });
        const value = toShape(valueType, (random() - 0.5) * 1e6);
        const back = toValue(toRaw(value) as number) as number;
        const resolution = valueType === 'FLOAT' ? 2 ** -23 : 2 ** -50;
        const size = Math.max(Math.abs(value), Math.abs(valueOffset));
        assert.ok(
          Math.abs(back - value) <= size * resolution,
          `${value} ${back} ${valueScale} ${valueOffset}`,
        );
      }
    }
  }
});

function toShape(valueType: 'FLOAT' | 'DOUBLE', value: number): number {
  return valueType === 'FLOAT' ? Math.fround(value) : value;
}

test('toValue refuses a STRING with NUL or half of a surrogate pair', () => {
  for (const raw of ['\0', 'Pump\0\0', '\ud800', 'a\udc00']) {
    assert.equal(codeOf(scale({ valueType: 'STRING' }).toValue(raw)), 'VALUE_NOT_TEXT');
  }
});

test('toValue compares raw values that mean "not available" before scale, offset and value type', () => {
  const { channel, faults } = resolveNotAvailable(
    createChannel({ valueScale: 0.1, valueOffset: 5, notAvailable: [9999, '-3--1'] }),
    // A driver of a bundle has no data types.
    {},
  );
  assert.deepEqual(faults, []);
  const { toValue, toRaw } = scale(channel);
  for (const raw of [9999, 9999n, -3, -1]) {
    const value = toValue(raw);
    assert.equal(value instanceof ConversionFault && value.code, 'VALUE_NOT_AVAILABLE', String(raw));
  }
  assert.equal(toValue(10), 6);
  assert.equal(toRaw(6), 10);
  const state = resolveNotAvailable(createChannel({ valueType: 'BOOLEAN', notAvailable: [255] }), {}).channel;
  const unknown = createScaling(state).toValue(255);
  assert.equal(unknown instanceof ConversionFault && unknown.code, 'VALUE_NOT_AVAILABLE');
  assert.equal(createScaling(state).toValue(1), true);
});
