import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OutageClock } from './outage-clock.ts';

const never = new AbortController().signal;

test('a wait that is in progress follows a change of the speed', async () => {
  const clock = new OutageClock();
  const slept = clock.sleep(600_000, never);
  clock.setSpeed(10_000);
  await slept;
  // A timer may be early by a millisecond.
  assert.ok(clock.aheadMs >= 580_000, `${clock.aheadMs} ms ahead`);
});

test('the clock stays ahead by as much when the outage is over', async () => {
  const clock = new OutageClock();
  clock.setSpeed(10_000);
  await clock.sleep(60_000, never);
  clock.setSpeed(1);
  const aheadMs = clock.aheadMs;
  await clock.sleep(5, never);
  assert.ok(Math.abs(clock.aheadMs - aheadMs) < 5);
});

test('a wait ends with its signal, and throws the reason', async () => {
  const ending = new AbortController();
  const slept = new OutageClock().sleep(600_000, ending.signal);
  ending.abort(new Error('over'));
  await assert.rejects(slept, { message: 'over' });
  await assert.rejects(new OutageClock().sleep(1, ending.signal), { message: 'over' });
});
