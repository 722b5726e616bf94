import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mustReport } from '../../../../../daemon/plant/asset/write/record-change.ts';
import type { ChannelFailure, ChannelRecord } from '../../../../../daemon/channel/channel-record.ts';
import type { ChannelValue } from '../../../../../daemon/channel/value-type.ts';
import { createChannel } from '../channel-fixture.ts';

const channel = createChannel();
const success = (value: ChannelValue, timestampMs = 1): ChannelRecord => ({
  channel,
  name: 'level',
  value,
  timestampMs,
});
const failed = (message: string, more: Partial<ChannelFailure> = {}): ChannelRecord => ({
  channel,
  name: 'level',
  failure: { code: 'NOT_CONNECTED', message, ...more },
  timestampMs: 1,
});

test('a number counts as changed beyond the deadband, and not on its edge', () => {
  const cases: readonly (readonly [number, number, number, boolean])[] = [
    [1, 1, 0, false],
    [1, 1.0000001, 0, true],
    [1, 1.5, 0.5, false],
    [1, 1.75, 0.5, true],
    [1, 0.25, 0.5, true],
    [0, -0, 0, false],
    [-1e308, 1e308, 1e15, true],
  ];
  for (const [previous, current, deadband, expected] of cases) {
    assert.equal(
      mustReport(success(previous), success(current), deadband),
      expected,
      `${previous} ${current}`,
    );
  }
});

test('NaN and the infinities equal themselves and differ from everything else, whatever the deadband', () => {
  for (const value of [NaN, Infinity, -Infinity]) {
    assert.equal(mustReport(success(value), success(value), 0), false);
    for (const other of [0, 1e300, value === Infinity ? -Infinity : Infinity]) {
      if (Object.is(other, value)) continue;
      assert.equal(mustReport(success(value), success(other), 1e14), true, `${value} ${other}`);
      assert.equal(mustReport(success(other), success(value), 1e14), true, `${other} ${value}`);
    }
  }
});

test('every digit of a LONG counts', () => {
  const value = 9007199254740993n;
  assert.equal(mustReport(success(value), success(value - 1n), 0), true);
  assert.equal(mustReport(success(value), success(value), 0), false);
  assert.equal(mustReport(success(value), success(value + 2n), 2), false);
  assert.equal(mustReport(success(value), success(value + 3n), 2.5), true);
  assert.equal(mustReport(success(-(2n ** 63n)), success(2n ** 63n - 1n), 1e15), true);
});

test('text, bytes and booleans count as changed when they differ', () => {
  assert.equal(mustReport(success('a'), success('a'), 5), false);
  assert.equal(mustReport(success('a'), success('b'), 5), true);
  assert.equal(mustReport(success(Buffer.from([1, 2])), success(new Uint8Array([1, 2])), 5), false);
  assert.equal(mustReport(success(Buffer.from([1, 2])), success(Buffer.from([1])), 5), true);
  assert.equal(mustReport(success(true), success(false), 5), true);
});

test('a new time alone does not count as a change', () => {
  assert.equal(mustReport(success(1, 1), success(1, 2), 0), false);
});

test('a failure counts as a change when it begins, ends or has another cause, and not while its cause lasts', () => {
  assert.equal(mustReport(success(1), failed('a'), 9), true);
  assert.equal(mustReport(failed('a'), success(1), 9), true);
  assert.equal(mustReport(failed('a'), failed('a'), 9), false);
  assert.equal(mustReport(failed('a'), failed('b'), 9), true);
  assert.equal(mustReport(failed('a'), failed('a; next in 5 ms', { stableMessage: 'a' }), 9), false);
  const [first, second] = ['a; next in 5 ms', 'a; next in 9 ms'].map((text) =>
    failed(text, { stableMessage: 'a' }),
  );
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(mustReport(first, second, 9), false);
});

test('another quality or status of the same value is news', () => {
  const good = { channel, name: 'level', value: 1, timestampMs: 1, quality: 'GOOD' } as const;
  const uncertain = { ...good, quality: 'UNCERTAIN', status: 'UncertainLastUsableValue' } as const;
  assert.equal(mustReport(good, { ...good, timestampMs: 9 }, 5), false);
  assert.equal(mustReport(good, uncertain, 5), true);
  assert.equal(mustReport(uncertain, good, 5), true);
  assert.equal(mustReport(good, { ...good, status: 'GoodLocalOverride' }, 5), true);
  assert.equal(mustReport(uncertain, { ...uncertain, timestampMs: 9 }, 5), false);
});
