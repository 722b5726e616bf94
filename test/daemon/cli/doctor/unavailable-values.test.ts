import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findUnavailableValues } from '../../../../daemon/cli/doctor/unavailable-values.ts';
import type { ResultRecord } from '../../../../daemon/interface/plant/assets.ts';

const channel = (name: string, valueScale = 1, valueOffset = 0) => ({ name, valueScale, valueOffset });

function detailsOf(channels: Parameters<typeof findUnavailableValues>[1], values: readonly unknown[]) {
  const records = values.map((value, index): ResultRecord => ({
    channelStatus: { channelFlag: 'SUCCESS' },
    name: channels[index]?.name ?? '',
    value: value as NonNullable<ResultRecord['value']>,
    timestamp: 0,
  }));
  return findUnavailableValues('pump', channels, records).map(({ detail, advice = '' }) => [detail, advice]);
}

test('the smallest number of a type is suspicious in one channel, whatever its scale', () => {
  assert.deepEqual(detailsOf([channel('a', 0.1)], [-3276.8]), [
    [
      'channel a: value -3276.8 (raw value 0x8000): not available?',
      'if the device has no value then: penstock channel set pump a --notAvailable 0x8000',
    ],
  ]);
  assert.equal(detailsOf([channel('a', 0.01, -40)], [-367.68]).length, 1);
  assert.equal(detailsOf([channel('a')], [-2147483648]).length, 1);
  assert.equal(detailsOf([channel('a', 0.1)], [-3276.7]).length, 0);
});

test('the largest number of a type is suspicious only in several channels', () => {
  assert.deepEqual(detailsOf([channel('a')], [65_535]), []);
  const channels = ['a', 'b', 'c', 'd'].map((name) => channel(name, 0.1));
  assert.deepEqual(
    detailsOf(channels, [6553.5, 6553.5, 6553.5, 6553.5]).map(([detail]) => detail),
    ['channels a, b, c and 1 more: value 6553.5 (raw value 0xFFFF): not available?'],
  );
});

test('NaN is suspicious, and values with a scale of the device are not judged', () => {
  assert.deepEqual(
    detailsOf([channel('a')], ['NaN']).map(([detail]) => detail),
    ['channel a: value NaN: not available?'],
  );
  const scaled = { ...channel('a'), scaleFrom: { channel: 'b', kind: 'EXPONENT' } } as const;
  assert.deepEqual(detailsOf([scaled], [-32_768]), []);
  assert.deepEqual(detailsOf([channel('a')], ['text']), []);
});
