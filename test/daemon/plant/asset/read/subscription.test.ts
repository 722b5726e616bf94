import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAXIMUM_HISTORY_RECORDS } from '../../../../../daemon/plant/asset/change-history.ts';
import { LINGER_MS } from '../../../../../daemon/plant/asset/read/subscription-demand.ts';
import { createRefusal, ScriptedDriver } from '../../../../support/scripted-driver.ts';
import { createListeningBench } from '../listening-fixture.ts';

const createBench = () => createListeningBench(new ScriptedDriver());

test('a subscriber gets a snapshot of the readable channels, then the channels that change', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level=7 total=1']);
  await pass(3000);
  driver.values.set('total', 9007199254740993n);
  await pass(1000);
  assert.deepEqual(probe.texts.slice(1), ['change total=9007199254740993']);
});

test('channels that are unknown, disabled or not readable are failures in the snapshot, and are not read', async () => {
  const { driver, listen, settle } = createBench();
  const probe = listen({ names: ['nobody', 'level', 'speed', 'spare', 'level'] });
  await settle();
  assert.deepEqual(probe.texts, [
    'snapshot nobody!CHANNEL_UNKNOWN level=7 speed!CHANNEL_NOT_READABLE spare!CHANNEL_DISABLED',
  ]);
  assert.deepEqual(driver.rounds, [['level']]);
  const strange = listen({ names: ['nobody'] });
  assert.deepEqual(strange.texts, ['snapshot nobody!CHANNEL_UNKNOWN']);
});

test('a device is read once for all subscribers, at the shortest requested interval', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probes = Array.from({ length: 30 }, () => listen());
  await settle();
  driver.rounds.length = 0;
  await pass(5000);
  assert.equal(driver.rounds.length, 5);
  listen({ minimumIntervalMs: 500, names: ['level'] });
  await settle();
  driver.rounds.length = 0;
  await pass(5000);
  assert.equal(driver.rounds.length, 10);
  driver.values.set('level', 8);
  await pass(1000);
  for (const probe of probes) assert.deepEqual(probe.texts.at(-1), 'change level=8');
});

test('what several subscribers get as a whole is one list, which is written as text once', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probes = [listen(), listen(), listen({ names: ['level', 'total'], minimumIntervalMs: 1000 })];
  const partial = listen({ names: ['level'] });
  await settle();
  driver.values.set('level', 8).set('total', 2n);
  await pass(1000);
  const lists = probes.map(({ events }) => events.flatMap((event) => (event.type === 'change' ? event : [])));
  const [first, ...others] = lists.map((events) => events.at(-1)?.records);
  assert.equal(first?.length, 2);
  for (const other of others) assert.equal(other, first);
  assert.equal(partial.texts.at(-1), 'change level=8');
});

test('only requested channels are read', async () => {
  const { driver, listen, settle } = createBench();
  listen({ names: ['total'] });
  await settle();
  listen({ names: ['level'] });
  await settle();
  assert.deepEqual(driver.rounds, [['total'], ['level', 'total']]);
});

test('a subscriber gets changes no more often than requested, with the newest value of each channel', async () => {
  const { driver, listen, pass, settle } = createBench();
  listen({ minimumIntervalMs: 100 });
  const slow = listen({ minimumIntervalMs: 1000 });
  await settle();
  for (let value = 10; value < 30; value += 1) {
    driver.values.set('level', value);
    await pass(100);
  }
  const levels = slow.texts.slice(1);
  assert.ok(levels.length <= 2, JSON.stringify(levels));
  await pass(1000);
  assert.equal(slow.texts.at(-1), 'change level=29');
});

test('a slowly changing value is sent once it is beyond the deadband from the value sent last', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen({ deadbandOf: (name) => (name === 'level' ? 1 : 0) });
  await settle();
  for (const value of [7.5, 8, 8.5, 9, 9.5]) {
    driver.values.set('level', value);
    await pass(1000);
  }
  assert.deepEqual(probe.texts, ['snapshot level=7 total=1', 'change level=8.5']);
});

test('the loss of a device is reported once, and so is its return', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  driver.callFault = createRefusal();
  driver.connectFault = driver.callFault;
  await pass(60_000);
  driver.callFault = undefined;
  driver.connectFault = undefined;
  await pass(5000);
  assert.deepEqual(probe.texts, [
    'snapshot level=7 total=1',
    'change level!DEVICE_REFUSED total!DEVICE_REFUSED',
    'change level=7 total=1',
  ]);
});

test('a subscriber that reconnects gets the changes since its last event', async () => {
  const { driver, listen, pass, settle } = createBench();
  const first = listen();
  await settle();
  first.control?.stop();
  driver.values.set('level', 8);
  await pass(2000);
  const second = listen({ lastEventId: first.lastId });
  await settle();
  assert.deepEqual(second.texts, ['change level=8']);
  assert.deepEqual(first.texts, ['snapshot level=7 total=1']);
});

test('an id of another subscription, in another form or of the future is a gap, followed by a snapshot', async () => {
  const { listen, settle } = createBench();
  const known = listen();
  await settle();
  const run = (known.lastId ?? '').split('-')[0];
  for (const lastEventId of ['0123456789abcdef-1', `${run}-99`, `${run}-`, 'nonsense', '']) {
    const probe = listen({ lastEventId });
    await settle();
    assert.deepEqual(probe.texts, ['gap ID_UNKNOWN', 'snapshot level=7 total=1'], lastEventId);
  }
});

test('channels that were not followed all the time since the id are a gap', async () => {
  const { listen, driver, pass, settle } = createBench();
  const first = listen({ names: ['level'] });
  await settle();
  driver.values.set('level', 8);
  await pass(1000);
  listen({ names: ['total'] });
  await settle();
  const id = (first.events[0] as { id: string }).id;
  const second = listen({ names: ['level', 'total'], lastEventId: id });
  await settle();
  assert.equal(second.texts[0], 'gap ID_UNKNOWN');
});

test('a slow client adds no load and gets the missed changes in order', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  probe.isFull = true;
  for (const value of [8, 9, 10]) {
    driver.values.set('level', value);
    await pass(1000);
  }
  assert.equal(probe.events.length, 1);
  probe.isFull = false;
  probe.control?.resume();
  await pass(1000);
  assert.deepEqual(probe.texts.slice(1), ['change level=8', 'change level=9', 'change level=10']);
});

test('a client that is slower than the history receives a gap and a snapshot', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen({ minimumIntervalMs: 100 });
  await settle();
  probe.isFull = true;
  for (let value = 0; value <= MAXIMUM_HISTORY_RECORDS; value += 1) {
    driver.values.set('level', 100 + value);
    await pass(100);
  }
  probe.isFull = false;
  probe.control?.resume();
  assert.deepEqual(probe.texts.slice(1), [
    'gap HISTORY_EXCEEDED',
    `snapshot level=${100 + MAXIMUM_HISTORY_RECORDS} total=1`,
  ]);
});

test('reading stops some time after the last subscriber left', async () => {
  const { driver, asset, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  probe.control?.stop();
  await pass(LINGER_MS);
  assert.equal(asset.subscriptionStatus(), undefined);
  const { length } = driver.rounds;
  await pass(10_000);
  assert.equal(driver.rounds.length, length);
});

test('endListening names the reason, and no event follows', async () => {
  const { driver, asset, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  asset.endListening('ASSET_REMOVED');
  driver.values.set('level', 9);
  await pass(5000);
  assert.deepEqual([probe.endReason, probe.texts.length], ['ASSET_REMOVED', 1]);
  probe.control?.stop();
});

test('subscriptionStatus shows how the channels are followed', async () => {
  const { asset, listen, settle } = createBench();
  assert.equal(asset.subscriptionStatus(), undefined);
  listen();
  listen({ minimumIntervalMs: 200 });
  await settle();
  assert.deepEqual(asset.subscriptionStatus(), {
    mode: 'POLL',
    isActive: true,
    refusal: undefined,
    listeners: 2,
    channels: 2,
    intervalMs: 200,
  });
});
