import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LastKnownValues } from '../../../../../daemon/plant/asset/read/last-known-values.ts';
import type { SeenRecord } from '../../../../../daemon/plant/asset/read/last-known-values.ts';
import type { ChannelRecord } from '../../../../../daemon/channel/channel-record.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createChannel } from '../channel-fixture.ts';

const channel = createChannel({ name: 'setpoint' });
const good = (value: number, timestampMs = 1): ChannelRecord => ({
  channel,
  name: 'setpoint',
  value,
  timestampMs,
});
const failure: ChannelRecord = {
  name: 'setpoint',
  failure: { code: 'NOT_CONNECTED', message: 'silent' },
  timestampMs: 1,
};

function openKnown() {
  const clock = new ManualClock(1000);
  const seen: SeenRecord[] = [];
  const reports: ChannelRecord[] = [];
  const known = new LastKnownValues({ listSeen: () => seen, findReported: () => reports.at(-1), clock });
  return { clock, seen, reports, known };
}

test('of several rounds the newest counts, and a failure is no value', () => {
  const { seen, known } = openKnown();
  assert.equal(known.find('setpoint'), undefined);
  seen.push({ record: good(1), startedAtMs: 10 }, { record: good(3), startedAtMs: 30 });
  seen.push({ record: good(2), startedAtMs: 20 });
  assert.deepEqual(known.find('setpoint'), { value: 3, timestampMs: 1 });
  seen.push({ record: failure, startedAtMs: 40 });
  assert.equal(known.find('setpoint'), undefined);
});

test('after a write, what was read before it is unknown, and what was read back or after it is known', () => {
  const { clock, seen, known } = openKnown();
  seen.push({ record: good(1), startedAtMs: 999 });
  known.note('setpoint', undefined);
  assert.equal(known.find('setpoint'), undefined);
  known.note('setpoint', { value: 7, timestampMs: 5 });
  assert.deepEqual(known.find('setpoint'), { value: 7, timestampMs: 5 });
  clock.advance(10);
  seen.push({ record: good(8), startedAtMs: clock.monotonicMs() });
  assert.equal(known.find('setpoint')?.value, 8);
});

test('a report of the device counts until the channel is written, then the next report', () => {
  const { reports, known } = openKnown();
  reports.push(good(4));
  assert.equal(known.find('setpoint')?.value, 4);
  known.note('setpoint', undefined);
  assert.equal(known.find('setpoint'), undefined);
  reports.push(good(4));
  assert.equal(known.find('setpoint')?.value, 4);
});
