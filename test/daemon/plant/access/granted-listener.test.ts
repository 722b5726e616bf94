import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAXIMUM_HISTORY_RECORDS } from '../../../../daemon/plant/asset/change-history.ts';
import type { Grant } from '../../../../daemon/security/identity/grant.ts';
import { createAccessBench } from './access-fixture.ts';

const START = '2023-11-14T22:13:20Z';
const LEVEL: Grant = { assets: ['pump'], channels: ['level'], operations: ['READ'] };
const TOTAL: Grant = { ...LEVEL, channels: ['total'] };
const TOTAL_FOR_5_S: Grant = { ...TOTAL, until: '2023-11-14T22:13:25Z' };
const LEVEL_FOR_8_S: Grant = { ...LEVEL, until: '2023-11-14T22:13:28Z' };

test('a stream follows what its caller may read, and shows the rest as a read does', async () => {
  const { listen, settle, driver } = createAccessBench([LEVEL, { ...TOTAL, operations: ['WRITE'] }]);
  const all = listen();
  const named = listen({ names: ['nobody', 'total', 'level', 'spare', 'level'] });
  await settle();
  assert.deepEqual(all.texts, ['snapshot level=7']);
  assert.deepEqual(named.texts, [
    'snapshot nobody!CHANNEL_UNKNOWN total!CHANNEL_NOT_GRANTED level=7 spare!CHANNEL_UNKNOWN',
  ]);
  assert.ok(driver.rounds.every((names) => names.join() === 'level'));
});

test('a stream of channels without a grant is that of unknown channels, and goes on', async () => {
  const { listen, pass, asset } = createAccessBench([LEVEL]);
  const probe = listen({ names: ['total'] });
  await pass(20_000);
  assert.deepEqual([probe.texts, probe.endReason], [['snapshot total!CHANNEL_UNKNOWN'], undefined]);
  assert.equal(asset.subscriptionStatus()?.channels, 0);
});

test('a stream loses a channel at the very moment at which its grant ends, and ends with the last one', async () => {
  const { listen, settle, clock, driver } = createAccessBench([LEVEL_FOR_8_S, TOTAL_FOR_5_S]);
  assert.equal(clock.epochMs(), Date.parse(START));
  const probe = listen();
  await settle();
  clock.advance(4999);
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level=7 total=1']);
  clock.advance(1);
  assert.deepEqual(probe.texts.slice(1), ['change total!CHANNEL_UNKNOWN']);
  driver.values.set('total', 2n).set('level', 8);
  clock.advance(1000);
  await settle();
  clock.advance(1000);
  await settle();
  assert.deepEqual(probe.texts.slice(2), ['change level=8']);
  clock.advance(999);
  assert.equal(probe.endReason, undefined);
  clock.advance(1);
  assert.equal(probe.endReason, 'NOT_PERMITTED');
  driver.values.set('level', 9);
  clock.advance(60_000);
  await settle();
  assert.deepEqual(probe.texts.slice(3), []);
});

test('a stream that ends leaves the asset', async () => {
  const { listen, settle, clock, asset } = createAccessBench([LEVEL_FOR_8_S]);
  listen();
  await settle();
  assert.equal(asset.subscriptionStatus()?.listeners, 1);
  clock.advance(8000);
  assert.equal(asset.subscriptionStatus()?.listeners, 0);
});

test('a stream ends although its client does not read', async () => {
  const { listen, settle, clock } = createAccessBench([LEVEL_FOR_8_S]);
  const probe = listen();
  await settle();
  probe.isFull = true;
  clock.advance(8000);
  assert.equal(probe.endReason, 'NOT_PERMITTED');
});

test('every event is judged by the grants of its moment', async () => {
  const { listen, pass, replace, driver } = createAccessBench([LEVEL, TOTAL]);
  const probe = listen();
  await pass(1000);
  replace({ grants: [LEVEL] });
  driver.values.set('total', 2n);
  await pass(1000);
  assert.deepEqual(probe.texts, ['snapshot level=7 total=1', 'change total!CHANNEL_UNKNOWN']);
  replace({ grants: [LEVEL, TOTAL] });
  driver.values.set('total', 3n);
  await pass(1000);
  assert.deepEqual(probe.texts.slice(2), ['change total=3']);
  replace({ grants: [{ ...LEVEL, assets: ['boiler'] }] });
  driver.values.set('total', 4n);
  await pass(1000);
  assert.deepEqual([probe.texts.slice(3), probe.endReason], [[], 'NOT_PERMITTED']);
});

test('a quiet stream is judged when it is checked, and ends with its identity', async () => {
  const { listen, settle, replace } = createAccessBench([LEVEL, TOTAL]);
  const probes = [listen(), listen()];
  await settle();
  replace({ grants: [TOTAL] });
  for (const { listener } of probes) listener.check();
  assert.deepEqual(probes[0]?.texts.slice(1), ['change level!CHANNEL_UNKNOWN']);
  replace(undefined);
  for (const { listener } of probes) listener.check();
  assert.deepEqual(
    probes.map(({ endReason }) => endReason),
    ['NOT_AUTHENTICATED', 'NOT_AUTHENTICATED'],
  );
});

test('a snapshot in the middle of a stream shows lost channels as failures', async () => {
  const { listen, pass, settle, replace, driver } = createAccessBench([LEVEL, TOTAL]);
  const [all, named] = [undefined, ['total', 'level', 'nobody']].map((names) =>
    listen({ names, minimumIntervalMs: 100 }),
  );
  await settle();
  for (const probe of [all, named]) if (probe !== undefined) probe.isFull = true;
  for (let value = 0; value <= MAXIMUM_HISTORY_RECORDS; value += 1) {
    driver.values.set('level', 100 + value);
    await pass(100);
  }
  replace({ grants: [LEVEL] });
  for (const probe of [all, named]) {
    if (probe !== undefined) probe.isFull = false;
    probe?.control?.resume();
  }
  const newest = `level=${100 + MAXIMUM_HISTORY_RECORDS}`;
  const before = ['change total!CHANNEL_UNKNOWN', 'gap HISTORY_EXCEEDED'];
  assert.deepEqual(all?.texts.slice(1), [...before, `snapshot ${newest} total!CHANNEL_UNKNOWN`]);
  assert.deepEqual(named?.texts.slice(1), [
    ...before,
    `snapshot total!CHANNEL_UNKNOWN ${newest} nobody!CHANNEL_UNKNOWN`,
  ]);
});

test('a client that resumes gets the changes of the channels that it may still read', async () => {
  const { listen, pass, replace, driver } = createAccessBench([LEVEL, TOTAL]);
  const first = listen();
  await pass(1000);
  first.control?.stop();
  replace({ grants: [LEVEL] });
  driver.values.set('total', 2n).set('level', 8);
  await pass(1000);
  const second = listen({ lastEventId: first.lastId });
  await pass(1000);
  assert.deepEqual(second.texts, ['change level=8']);
});

test('a grant that ends in the far future sets no timer for the whole time', async () => {
  const { listen, clock, settle } = createAccessBench([{ ...LEVEL, until: '2999-01-01T00:00:00Z' }]);
  const delays: number[] = [];
  const schedule = clock.schedule.bind(clock);
  clock.schedule = (delayMs, action) => {
    delays.push(delayMs);
    return schedule(delayMs, action);
  };
  const probe = listen();
  await settle();
  assert.ok(Math.max(...delays) <= 3_600_000);
  clock.advance(3_600_000 * 3);
  await settle();
  assert.equal(probe.endReason, undefined);
});
