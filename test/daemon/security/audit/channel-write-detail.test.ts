import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DETAIL_ENTRIES, toAuditEvent } from '../../../../daemon/security/audit/audit-event.ts';
import {
  CHANNELS_LISTED,
  CHANNELS_PER_EVENT,
  describeChannelWrite,
} from '../../../../daemon/security/audit/channel-write-detail.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `c${index}`, value: String(index) }));

test('a write is described by pid, counts, and name, value and outcome of each element', () => {
  const channels = [
    { name: 'setpoint', value: '21.5' },
    { name: 'valve', value: 'true', failureCode: 'MODBUS_NO_RESPONSE' },
  ];
  assert.deepEqual(describeChannelWrite('boiler', channels), [
    {
      asset: 'boiler',
      channels: 2,
      failed: 1,
      'channels[0]': 'SUCCESS setpoint 21.5',
      'channels[1]': 'FAILURE MODBUS_NO_RESPONSE valve true',
    },
  ]);
});

test('the previous value of a write is recorded if known, with its read time', () => {
  const before = { value: '20.5', timestampMs: 1_772_352_000_000 };
  const [detail] = describeChannelWrite('boiler', [
    { name: 'a', value: '1' },
    { name: 'b', value: '2', before },
  ]);
  assert.deepEqual(detail, {
    asset: 'boiler',
    channels: 2,
    failed: 0,
    'channels[0]': 'SUCCESS a 1',
    'channels[1]': 'SUCCESS b 2',
    'before[1]': '20.5 at 2026-03-01T08:00:00.000Z',
  });
  const strange = { value: 'x'.repeat(100), timestampMs: 1e300 };
  const [other] = describeChannelWrite('boiler', [{ name: 'a', value: '1', before: strange }]);
  assert.equal(other?.['before[0]'], `${'x'.repeat(63)}…`);
});

test('an empty write is described as well', () => {
  assert.deepEqual(describeChannelWrite('boiler', []), [{ asset: 'boiler', channels: 0, failed: 0 }]);
});

test('a large write is described in several parts that omit nothing', () => {
  const details = describeChannelWrite('boiler', many(2 * CHANNELS_PER_EVENT + 1));
  assert.equal(details.length, 3);
  assert.equal(details[2]?.[`channels[${2 * CHANNELS_PER_EVENT}]`], 'SUCCESS c32 32');
});

test('every part fits into one event, with room for the fields of the request', () => {
  const before = { value: '1', timestampMs: 0 };
  const written = many(CHANNELS_PER_EVENT).map(({ name, value }) => ({ name, value, before }));
  const [detail = {}] = describeChannelWrite('boiler', written);
  assert.ok(Object.keys(detail).length + 4 <= DETAIL_ENTRIES);
  const event = toAuditEvent({ event: 'CHANNEL_WRITE', outcome: 'SUCCESS', detail }, 5);
  assert.deepEqual(event.detail, detail);
});

test('elements that conditions stopped have why, and as many events as that takes', () => {
  const stopped = many(CHANNELS_PER_EVENT).map(({ name, value }) => ({
    name,
    value,
    failureCode: 'WRITE_CONDITION_FALSE',
    condition: 'boiler level is 8; required: LESS_THAN 8',
    reasons: [{ code: 'CONDITION_FALSE', parameters: { asset: 'boiler' }, message: '' }],
  }));
  const details = describeChannelWrite('boiler', stopped);
  assert.equal(details[0]?.['condition[0]'], 'boiler level is 8; required: LESS_THAN 8');
  assert.deepEqual(details[0]?.['reasons[0]'], stopped[0]?.reasons);
  assert.ok(details.every((detail) => Object.keys(detail).length + 4 <= DETAIL_ENTRIES));
  assert.deepEqual(
    details.flatMap((detail) => Object.keys(detail).filter((key) => key.startsWith('reasons['))),
    stopped.map((_, index) => `reasons[${index}]`),
  );
});

test('a write beyond the bound is listed up to the bound and counted in full', () => {
  const details = describeChannelWrite('boiler', many(20_000));
  assert.equal(details.length, CHANNELS_LISTED / CHANNELS_PER_EVENT);
  assert.equal(details[0]?.['channels'], 20_000);
});

test('long names and values are cut to 64 characters', () => {
  const channels = [{ name: 'n'.repeat(1_000_000), value: 'v'.repeat(1_000_000) }];
  const [detail] = describeChannelWrite('boiler', channels);
  assert.equal(detail?.['channels[0]'], `SUCCESS ${'n'.repeat(63)}… ${'v'.repeat(63)}…`);
});
