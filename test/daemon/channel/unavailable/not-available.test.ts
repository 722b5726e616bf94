import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChannelSchema } from '../../../../daemon/channel/channel.ts';
import {
  dropUnavailable,
  isUnavailable,
  resolveEntries,
} from '../../../../daemon/channel/unavailable/not-available.ts';
import { resolveNotAvailable } from '../../../../daemon/channel/unavailable/resolve-not-available.ts';
import type { RawNumberAt } from '../../../../daemon/channel/raw-number.ts';
import type { ChannelValue } from '../../../../daemon/channel/value-type.ts';
import { check, formatPath, z } from '../../../../daemon/base/schema.ts';
import { createChannel } from '../../plant/asset/channel-fixture.ts';

const INT16: RawNumberAt = { kind: 'SIGNED', bits: 16 };
const UINT16: RawNumberAt = { kind: 'UNSIGNED', bits: 16 };
const INT64: RawNumberAt = { kind: 'SIGNED', bits: 64 };
const UINT64: RawNumberAt = { kind: 'UNSIGNED', bits: 64 };
const FLOAT32: RawNumberAt = { kind: 'FLOAT', bits: 32 };
const FLOAT64: RawNumberAt = { kind: 'FLOAT', bits: 64 };
const WHOLE: RawNumberAt = { kind: 'WHOLE' };

type Row = readonly [RawNumberAt, string | number, yes: readonly ChannelValue[], no: readonly ChannelValue[]];

const ROWS: readonly Row[] = [
  [INT16, 0x8000, [-32_768], [32_768, -32_767, 0]],
  [INT16, '0x8000', [-32_768], [-32_767]],
  [INT16, -32_768, [-32_768], [32_767]],
  [INT16, 0x7fff, [32_767], [-32_768]],
  [INT16, '0x8000-0x80FF', [-32_768, -32_513], [-32_512, 32_767]],
  [INT16, '-5--1', [-5, -1], [-6, 0]],
  [INT16, '-5 - 3', [-5, 3], [4]],
  [UINT16, '0xFFFF', [65_535], [65_534, -1]],
  [UINT16, '0xfff0-0xffff', [65_520, 65_535], [65_519]],
  [INT64, '0x8000000000000000', [-(2n ** 63n)], [-(2n ** 63n) + 1n, 2n ** 63n - 1n]],
  [UINT64, '18446744073709551615', [2n ** 64n - 1n], [2n ** 64n - 2n]],
  [UINT64, 7, [7n, 7], [8n]],
  [FLOAT32, 9999.9, [Math.fround(9999.9)], [9999.9, 9999]],
  [FLOAT32, 'NaN', [NaN], [0, Infinity]],
  [FLOAT32, '0x7FC00000', [NaN], [0]],
  [FLOAT32, '0x7F800000', [Infinity], [-Infinity, NaN]],
  [FLOAT32, '0xFF7FFFFF', [-3.4028234663852886e38], [3.4028234663852886e38]],
  [FLOAT64, '0xFFEFFFFFFFFFFFFF', [-Number.MAX_VALUE], [Number.MAX_VALUE]],
  [FLOAT64, '-1e3--0.5', [-1000, -0.5, -1], [-0.4]],
  [WHOLE, '9999', [9999, 9999n], [9998]],
  [undefined, 9999.9, [9999.9, Math.fround(9999.9)], [9999.8, true, '9999.9']],
  [undefined, '0x8000', [32_768], [-32_768]],
  [undefined, 'NaN', [NaN], [1]],
  [INT16, 'SUNSPEC', [-32_768], [32_767, 0, -1]],
  [UINT16, 'SUNSPEC', [65_535], [0]],
  [{ kind: 'SIGNED', bits: 32 }, 'SUNSPEC', [-(2 ** 31)], [2 ** 31 - 1]],
  [{ kind: 'UNSIGNED', bits: 32 }, 'SUNSPEC', [2 ** 32 - 1], [0]],
  [INT64, 'SUNSPEC', [-(2n ** 63n)], [0n]],
  [UINT64, 'SUNSPEC', [2n ** 64n - 1n], [0n]],
  [FLOAT32, 'SUNSPEC', [NaN], [0]],
  [FLOAT64, 'SUNSPEC', [NaN], [0]],
];

test('an entry covers its raw values in each data type, and for no others', () => {
  for (const [number, entry, yes, no] of ROWS) {
    const { unavailable, faults } = resolveEntries([entry], number);
    const what = `${JSON.stringify(number)} ${entry}`;
    assert.deepEqual(faults, [], what);
    for (const raw of yes) assert.equal(isUnavailable(raw, unavailable), true, `${what}: ${String(raw)}`);
    for (const raw of no) assert.equal(isUnavailable(raw, unavailable), false, `${what}: ${String(raw)}`);
  }
});

test('an entry that the data type does not have is named with its position', () => {
  const rows: readonly (readonly [RawNumberAt, string | number, RegExp])[] = [
    [INT16, 70_000, /^70000 is not a signed 16-bit integer$/],
    [INT16, '0x18000', /^0x18000 is not a signed 16-bit integer$/],
    [INT16, -32_769, /^-32769 is not/],
    [UINT16, -1, /^-1 is not an unsigned 16-bit integer$/],
    [INT16, 1.5, /^1\.5 is not a whole number/],
    [WHOLE, 0.5, /^0\.5 is not a whole number/],
    [INT16, '0x7FFF-0x8000', /^the range is reversed: 32767 is above -32768$/],
    [UINT16, '9-3', /^the range is reversed: 9 is above 3$/],
    [INT16, 'NaN', /has no NaN$/],
    [UINT64, 2 ** 64, /is not exact; write it as text/],
    [FLOAT32, 1e39, /is not a 32-bit float$/],
    [FLOAT32, '0x100000000', /^0x100000000 has more than 32 bits$/],
    [FLOAT32, '0x7FC00000-0x7FC00001', /NaN cannot be the bound of a range$/],
    [undefined, 'SUNSPEC', /^SUNSPEC has no value for a data type that is not configured/],
    [WHOLE, 'SUNSPEC', /^SUNSPEC has no value for a decimal type/],
    [{ kind: 'SIGNED', bits: 8 }, 'SUNSPEC', /^SUNSPEC has no value for integers of 8 bits/],
  ];
  for (const [number, entry, message] of rows) {
    const { faults } = resolveEntries([0, entry], number);
    assert.deepEqual(
      faults.map(({ path }) => formatPath(path)),
      ['notAvailable[1]'],
      String(entry),
    );
    assert.match(faults[0]?.message ?? '', message);
    assert.equal(faults[0]?.reasons?.length, 1, String(entry));
  }
  assert.match(resolveEntries([0], 'NONE').faults[0]?.message ?? '', /is not a number$/);
});

test('an entry that is neither number, range nor name is an error of the schema', () => {
  const schema = createChannelSchema(z.strictObject({}));
  const faultsOf = (notAvailable: unknown): readonly string[] => {
    const channel = { name: 'a', type: 'READ', valueType: 'DOUBLE', notAvailable, address: {} };
    return (check(schema, channel).faults ?? []).map(({ path }) => formatPath(path));
  };
  for (const entry of ['', '0x', '1-', 'nan', 'sunspec', '1-2-3', '12 V', true, null, Infinity]) {
    assert.deepEqual(faultsOf([0, entry]), ['notAvailable[1]'], String(entry));
  }
  assert.deepEqual(faultsOf([]), ['notAvailable']);
  assert.deepEqual(faultsOf(Array.from({ length: 33 }, () => 1)), ['notAvailable']);
  assert.deepEqual(faultsOf([1, '0x8000', '1-2', 'NaN', 'SUNSPEC']), []);
});

test('a channel without the list stays the same object, and one of bytes has no numbers', () => {
  const plain = createChannel();
  assert.equal(resolveNotAvailable(plain, {}).channel, plain);
  const bytes = createChannel({ valueType: 'BYTE_ARRAY', notAvailable: [0] });
  assert.equal(resolveNotAvailable(bytes, {}).faults.length, 1);
});

test('elements of an array that are not available become null, and an array without any others is none', () => {
  const { unavailable } = resolveEntries([0x8000, '0x7FFE-0x7FFF'], INT16);
  assert.equal(dropUnavailable('[1,-32768,32767]', unavailable), '[1,null,null]');
  assert.equal(dropUnavailable('[[1,2],[-32768,3]]', unavailable), '[[1,2],[null,3]]');
  assert.equal(dropUnavailable('[-32768,32766]', unavailable), undefined);
  assert.equal(dropUnavailable('[]', unavailable), '[]');
  assert.equal(dropUnavailable('["-32768"]', unavailable), '["-32768"]');
  assert.equal(dropUnavailable('-32768', unavailable), '-32768');
  const floats = resolveEntries(['NaN', 0.1], FLOAT32).unavailable;
  assert.equal(dropUnavailable('["NaN",0.1,1.5e3,"Infinity"]', floats), '[null,null,1.5e3,"Infinity"]');
  const longs = resolveEntries(['SUNSPEC'], UINT64).unavailable;
  assert.equal(
    dropUnavailable('[18446744073709551615,18446744073709551614]', longs),
    '[null,18446744073709551614]',
  );
});
