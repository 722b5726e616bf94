import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ReceivedCode } from '../../../../../daemon/base/error-codes.ts';
import { NoSubscriptionCapacity } from '../../../../../daemon/channel/driver-errors.ts';
import { CAPACITY_RETRY_MS } from '../../../../../daemon/plant/asset/read/subscribing-source.ts';
import { createRefusal } from '../../../../support/scripted-driver.ts';
import { SubscribingScriptedDriver } from '../../../../support/subscribing-driver.ts';
import { createListeningBench } from '../listening-fixture.ts';

const createBench = () => createListeningBench(new SubscribingScriptedDriver());
const LONGEST_PAUSE_MS = 2000;

test('a device that reports by itself is subscribed to once for all subscribers, and not polled', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probes = [listen(), listen(), listen()];
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await settle();
  for (const probe of probes) assert.deepEqual(probe.texts, ['snapshot level=7 total=1']);
  await pass(5000);
  driver.report('level', { value: 8, timestampMs: 2 });
  await settle();
  assert.deepEqual(probes[0]?.texts.slice(1), ['change level=8']);
  assert.deepEqual([driver.subscriptions.length, driver.rounds.length], [1, 0]);
  assert.equal(driver.current.minimumIntervalMs, 1000);
  const late = listen();
  assert.deepEqual(late.texts, ['snapshot level=8 total=1']);
});

test('a subscriber that wants newer values than the others have gets a snapshot of what the device then reports', async () => {
  const { driver, listen, pass, settle } = createBench();
  const patient = listen({ minimumIntervalMs: 60_000 });
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await pass(30_000);
  const late = listen({ minimumIntervalMs: 1000 });
  await settle();
  assert.deepEqual(late.texts, []);
  driver.report('level', { value: 8, timestampMs: 2 });
  driver.report('total', { value: 1n, timestampMs: 2 });
  await settle();
  assert.deepEqual(late.texts, ['snapshot level=8 total=1']);
  const equal = listen({ minimumIntervalMs: 1000 });
  assert.deepEqual(equal.texts, ['snapshot level=8 total=1']);
  assert.deepEqual(patient.texts, ['snapshot level=7 total=1']);
});

test('what a subscriber missed does not wait for its interval again', async () => {
  const { driver, listen, pass, settle } = createBench();
  const patient = listen({ minimumIntervalMs: 3_600_000 });
  const first = listen({ minimumIntervalMs: 60_000 });
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await settle();
  first.control?.stop();
  driver.report('level', { value: 8, timestampMs: 2 });
  await pass(90_000);
  driver.report('level', { value: 9, timestampMs: 3 });
  await pass(20_000);
  const second = listen({ minimumIntervalMs: 60_000, lastEventId: first.lastId });
  await settle();
  assert.deepEqual(second.texts, ['change level=8']);
  // 60 s after it was reported, not after the event before.
  await pass(39_000);
  assert.deepEqual(second.texts, ['change level=8']);
  await pass(2000);
  assert.deepEqual(second.texts, ['change level=8', 'change level=9']);
  await pass(500_000);
  const third = listen({ minimumIntervalMs: 60_000, lastEventId: first.lastId });
  await settle();
  assert.deepEqual(third.texts, ['change level=8', 'change level=9']);
  assert.deepEqual(patient.texts, ['snapshot level=7 total=1']);
});

test('a value that is too old for a subscriber is a failure in its snapshot, and is sent when it is reported again', async () => {
  const { driver, listen, pass, settle } = createBench();
  const patient = listen({ minimumIntervalMs: 3_600_000 });
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await pass(1_800_000);
  const late = listen({ minimumIntervalMs: 60_000 });
  const equal = listen({ minimumIntervalMs: 60_000 });
  await pass(10_000);
  for (const { texts } of [late, equal]) {
    assert.deepEqual(texts, ['snapshot level!VALUE_PENDING total!VALUE_PENDING']);
  }
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 2n, timestampMs: 2 });
  await pass(60_000);
  for (const { texts } of [late, equal]) assert.deepEqual(texts.slice(1), ['change level=7 total=2']);
  await pass(3_600_000);
  assert.deepEqual(patient.texts, ['snapshot level=7 total=1', 'change total=2']);
});

test('every value that a device queued is sent in its order and with its time, others only when newest', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  driver.report('level', { value: 1, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await pass(2000);
  for (const value of [2, 3, 4]) {
    driver.report('level', { value, timestampMs: value, isQueued: true });
    driver.report('total', { value: BigInt(value), timestampMs: value });
  }
  await settle();
  assert.deepEqual(probe.texts.slice(1), ['change level=2 level=3 level=4 total=4']);
  const [, change] = probe.events;
  assert.ok(change?.type === 'change');
  assert.deepEqual(
    change.records.map(({ timestampMs }) => timestampMs),
    [2, 3, 4, 4],
  );
  assert.deepEqual(listen().texts, ['snapshot level=4 total=4']);
});

test('the loss of a device does not replace the values that it had queued', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen({ names: ['level'] });
  await settle();
  driver.report('level', { value: 1, timestampMs: 1, isQueued: true });
  await pass(2000);
  driver.report('level', { value: 2, timestampMs: 2, isQueued: true });
  await pass(100);
  driver.report('level', { value: 3, timestampMs: 3, isQueued: true });
  driver.report('level', { value: 4, timestampMs: 4, isQueued: true });
  await settle();
  driver.subscribeFault = createRefusal('the session is gone');
  driver.current.onEnd(createRefusal('the session is gone'));
  await pass(1000);
  assert.deepEqual(probe.texts.slice(1), ['change level=2', 'change level=3 level=4 level!DEVICE_REFUSED']);
});

test('values that a device queued within the interval of a client come together, those within its deadband do not', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen({ names: ['level'], deadbandOf: () => 1 });
  await settle();
  driver.report('level', { value: 1, timestampMs: 1, isQueued: true });
  for (const values of [
    [2, 5],
    [5.5, 7, 8, 1],
  ]) {
    for (const value of values) driver.report('level', { value, timestampMs: 2, isQueued: true });
    await pass(100);
  }
  await pass(1000);
  assert.deepEqual(probe.texts, ['snapshot level=5', 'change level=7 level=1']);
});

test('when a subscription ends its channels fail once with the cause, and it is created again', async () => {
  const { driver, asset, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 1n, timestampMs: 1 });
  await settle();
  assert.equal(asset.subscriptionStatus()?.isActive, true);
  driver.subscribeFault = createRefusal('the session is gone');
  driver.current.onEnd(createRefusal('the session is gone'));
  await pass(20_000);
  assert.equal(asset.subscriptionStatus()?.isActive, false);
  assert.deepEqual(probe.texts.slice(1), ['change level!DEVICE_REFUSED total!DEVICE_REFUSED']);
  assert.ok(driver.subscriptions.length > 3);
  driver.subscribeFault = undefined;
  await pass(LONGEST_PAUSE_MS);
  driver.report('level', { value: 7, timestampMs: 3 });
  await settle();
  assert.deepEqual(probe.texts.slice(2), ['change level=7']);
});

test('a device that refuses subscriptions is read without interruption', async () => {
  const { driver, asset, listen, pass, settle } = createBench();
  driver.subscribeFault = createRefusal();
  listen();
  await settle();
  await pass(5000);
  const { records } = await asset.readAll();
  assert.deepEqual(
    records.map(({ value }) => value),
    [7, 1n],
  );
  assert.deepEqual([driver.connects, driver.disconnects], [1, 0]);
});

test('while a device is unreachable its channels fail, and it is subscribed to as soon as it is reachable', async () => {
  const { driver, listen, pass, settle } = createBench();
  driver.connectFault = createRefusal();
  const probe = listen({ names: ['level'] });
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level!DEVICE_REFUSED']);
  await pass(20_000);
  assert.equal(probe.events.length, 1);
  driver.connectFault = undefined;
  await pass(2 * LONGEST_PAUSE_MS);
  driver.report('level', { value: 7, timestampMs: 3 });
  await settle();
  assert.deepEqual(probe.texts.slice(1), ['change level=7']);
});

test('a channel without a value after ten seconds is a failure in the snapshot', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen();
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  await pass(9900);
  assert.deepEqual(probe.texts, []);
  await pass(100);
  assert.deepEqual(probe.texts, ['snapshot level=7 total!VALUE_PENDING']);
  driver.report('total', { value: 1n, timestampMs: 2 });
  await pass(1000);
  assert.deepEqual(probe.texts.slice(1), ['change total=1']);
});

test('a request for another channel leads to one subscription with all of them, and the previous one ends', async () => {
  const { driver, listen, settle } = createBench();
  listen({ names: ['level'] });
  await settle();
  const previous = driver.current;
  listen({ names: ['total'] });
  await settle();
  assert.equal(previous.signal.aborted, true);
  assert.deepEqual(
    driver.current.channels.map(({ name }) => name),
    ['level', 'total'],
  );
});

test('a value that is reported just before a request for another channel is sent', async () => {
  const { driver, listen, pass, settle } = createBench();
  const probe = listen({ names: ['level'] });
  await settle();
  driver.report('level', { value: 1, timestampMs: 1, isQueued: true });
  await pass(2000);
  driver.report('level', { value: 2, timestampMs: 2, isQueued: true });
  listen({ names: ['total'] });
  await settle();
  driver.report('level', { value: 3, timestampMs: 3, isQueued: true });
  await pass(1000);
  assert.deepEqual(probe.texts, ['snapshot level=1', 'change level=2', 'change level=3']);
});

test('a subscription ends when the last subscriber leaves', async () => {
  const { driver, asset, listen, settle } = createBench();
  listen();
  await settle();
  asset.endListening('ASSET_CHANGED');
  assert.equal(driver.current.signal.aborted, true);
});

test('a device without capacity for a subscription is polled, and asked again after a minute', async () => {
  const { driver, asset, listen, pass, settle } = createBench();
  const detail = 'the device has too many subscriptions';
  driver.subscribeFault = new NoSubscriptionCapacity({ code: 'DEVICE_REFUSED' as ReceivedCode, detail });
  driver.values.set('level', 7);
  driver.values.set('total', 1n);
  const probe = listen();
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level=7 total=1']);
  const { mode, isActive, refusal } = asset.subscriptionStatus() ?? assert.fail();
  assert.deepEqual([mode, isActive, refusal], ['POLL', true, detail]);
  driver.values.set('level', 8);
  await pass(2000);
  assert.deepEqual(probe.texts.slice(1), ['change level=8']);
  await pass(CAPACITY_RETRY_MS);
  assert.equal(driver.subscriptions.length, 2);
  driver.values.set('level', 9);
  await pass(2000);
  assert.deepEqual(probe.texts.slice(2), ['change level=9']);
  driver.subscribeFault = undefined;
  await pass(CAPACITY_RETRY_MS);
  assert.deepEqual(
    [asset.subscriptionStatus()?.mode, asset.subscriptionStatus()?.refusal],
    ['SUBSCRIBE', undefined],
  );
  const rounds = driver.rounds.length;
  driver.report('level', { value: 10, timestampMs: 1 });
  await pass(5000);
  assert.deepEqual(probe.texts.slice(3), ['change level=10']);
  assert.equal(driver.rounds.length, rounds);
});

test('a device that is polled for lack of capacity and lost fails, and is subscribed to once it is back', async () => {
  const { driver, asset, listen, pass, settle } = createBench();
  driver.subscribeFault = new NoSubscriptionCapacity({
    code: 'DEVICE_REFUSED' as ReceivedCode,
    detail: 'full',
  });
  driver.values.set('level', 7);
  const probe = listen({ names: ['level'] });
  await settle();
  driver.subscribeFault = createRefusal();
  await pass(CAPACITY_RETRY_MS);
  assert.equal(probe.texts.at(-1), 'change level!DEVICE_REFUSED');
  assert.equal(asset.subscriptionStatus()?.mode, 'SUBSCRIBE');
  driver.subscribeFault = undefined;
  await pass(2 * LONGEST_PAUSE_MS);
  driver.report('level', { value: 8, timestampMs: 1 });
  await settle();
  assert.equal(probe.texts.at(-1), 'change level=8');
});
