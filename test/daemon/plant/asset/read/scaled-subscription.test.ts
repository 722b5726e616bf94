import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRefusal, ScriptedDriver } from '../../../../support/scripted-driver.ts';
import { SubscribingScriptedDriver } from '../../../../support/subscribing-driver.ts';
import { createChannel } from '../channel-fixture.ts';
import { createListeningBench } from '../listening-fixture.ts';

const SCALE = createChannel({ name: 'scale', valueType: 'INTEGER' });
const scaled = (name: string, scaleChannel = SCALE) =>
  createChannel({ name, scaleFrom: { channel: scaleChannel.name, kind: 'EXPONENT' }, scaleChannel });
const CHANNELS = [scaled('level'), scaled('total'), SCALE];

test('a polled listener of a scaled channel causes rounds that read its scale', async () => {
  const driver = new ScriptedDriver();
  const { listen, pass, settle } = createListeningBench(driver, CHANNELS);
  driver.values.set('scale', -1);
  const probe = listen({ names: ['level'] });
  await settle();
  driver.values.set('scale', -2);
  await pass(1500);
  assert.deepEqual(probe.texts, ['snapshot level=0.7', 'change level=0.07']);
  assert.deepEqual(new Set(driver.rounds.map(String)), new Set(['level,scale']));
});

test('a subscribed value waits for its scale, and is reported again when the scale changes', async () => {
  const driver = new SubscribingScriptedDriver();
  const { listen, settle } = createListeningBench(driver, CHANNELS);
  const probe = listen({ names: ['level', 'total'], minimumIntervalMs: 0 });
  await settle();
  assert.deepEqual(
    driver.current.channels.map(({ name }) => name),
    ['level', 'total', 'scale'],
  );
  driver.report('level', { value: 7, timestampMs: 1 });
  driver.report('total', { value: 20, timestampMs: 1 });
  await settle();
  assert.deepEqual(probe.texts, []);
  driver.report('scale', { value: -1, timestampMs: 1 });
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level=0.7 total=2']);
  driver.report('level', { value: 8, timestampMs: 2 });
  await settle();
  driver.report('scale', { value: 1, timestampMs: 3 });
  await settle();
  driver.report('scale', { value: -32_768, timestampMs: 4 });
  await settle();
  assert.deepEqual(probe.texts.slice(1), [
    'change level=0.8',
    'change level=80 total=200',
    'change level!VALUE_NOT_AVAILABLE total!VALUE_NOT_AVAILABLE',
  ]);
});

test('a subscribed value that fails does not wait for its scale', async () => {
  const driver = new SubscribingScriptedDriver();
  const { listen, settle } = createListeningBench(driver, CHANNELS);
  const probe = listen({ names: ['level'] });
  await settle();
  const { code, detail: message } = createRefusal();
  driver.report('level', { failure: { code, message }, timestampMs: 1 });
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level!DEVICE_REFUSED']);
});

test('a disabled scale channel is not subscribed to, and its value fails', async () => {
  const driver = new SubscribingScriptedDriver();
  const { listen, settle } = createListeningBench(driver, [scaled('level', { ...SCALE, isEnabled: false })]);
  const probe = listen();
  await settle();
  driver.report('level', { value: 7, timestampMs: 1 });
  await settle();
  assert.deepEqual(probe.texts, ['snapshot level!CHANNEL_DISABLED']);
  assert.equal(driver.current.channels.length, 1);
});
