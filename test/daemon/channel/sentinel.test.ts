import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findSentinel, groupSentinels } from '../../../daemon/channel/sentinel.ts';
import type { Sentinel } from '../../../daemon/channel/sentinel.ts';

function group(...raws: readonly number[]) {
  const found = raws.flatMap((raw, place) => {
    const sentinel = findSentinel(raw);
    return sentinel === undefined ? [] : [[place, sentinel] as readonly [number, Sentinel]];
  });
  return groupSentinels(found);
}

test('findSentinel finds the numbers of a missing value, also after a scale was undone', () => {
  assert.deepEqual(
    [-32_768, 32_767, 65_535.000_000_1, -(2 ** 31), Number.NaN].map((raw) => findSentinel(raw)?.entry),
    ['0x8000', '0x7FFF', '0xFFFF', '0x80000000', 'NaN'],
  );
  assert.deepEqual(
    [0, -1, 32_768, 65_534, Infinity].map((raw) => findSentinel(raw)),
    Array(5).fill(undefined),
  );
});

test('groupSentinels leaves out the largest number in one place', () => {
  assert.deepEqual(group(65_535, 7, -32_768), [{ entry: '0x8000', places: [2] }]);
  assert.deepEqual(group(65_535, -32_768, 65_535), [
    { entry: '0xFFFF', places: [0, 2] },
    { entry: '0x8000', places: [1] },
  ]);
});
