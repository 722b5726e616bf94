import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { startMosquitto } from '../../support/mosquitto.ts';
import { startMqttProxy } from '../../support/mqtt-proxy.ts';
import { createRandom } from '../../support/random.ts';
import { openSparkplugHost } from '../../support/sparkplug-host.ts';
import type { SparkplugHost } from '../../support/sparkplug-host.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { makeSettings } from './declared-settings.ts';
import { makeChannel, startNode, until } from './running-node.ts';

const { test } = testsThatNeed('mosquitto');

const verbsOf = ({ rules }: SparkplugHost): readonly string[] =>
  rules.messages.map(({ verb, device }) => (device === undefined ? verb : `${verb} ${device}`));

for (const protocolVersion of ['3.1.1', '5']) {
  test(`births, data and the death of a node come in order by version ${protocolVersion}`, async (t) => {
    const { port } = await startMosquitto(t);
    const host = await openSparkplugHost(t, port);
    const { node, journal, report } = startNode(t, makeSettings([port], { protocolVersion }));
    await host.when(({ rules }) => rules.devices.length === 2);
    for (let index = 0; index < 1000; index += 1) journal.take(index % 2 === 0 ? 'boiler' : 'pump');
    await host.when(({ counts }) => counts.size === 1000);
    await journal.acknowledgedUpTo(1000);
    assert.match(report().detail, /born$/);
    await node.stop();
    await host.when(({ rules }) => !rules.isOnline);
    const verbs = verbsOf(host);
    assert.deepEqual(verbs.slice(0, 3), ['NBIRTH', 'DBIRTH boiler', 'DBIRTH pump']);
    const data = verbs.slice(3).filter((verb) => verb !== 'NDEATH');
    assert.deepEqual(new Set(data), new Set(['DDATA boiler', 'DDATA pump']));
    assert.equal(verbs.at(-1), 'NDEATH');
    assert.deepEqual(host.rules.violations, []);
    const values = host.rules.values.map(({ value }) => value);
    assert.equal(values.length, 1000);
    for (const device of ['boiler', 'pump']) {
      const own = host.rules.values
        .filter((each) => each.device === device)
        .map(({ value }) => Number(value));
      assert.deepEqual(
        own,
        own.toSorted((one, other) => one - other),
      );
    }
    assert.ok(host.rules.values.every(({ isHistorical }) => !isHistorical));
    // The death that is published has QoS 1, everything else 0; nothing is retained.
    assert.ok(host.deliveries.every(({ isRetained }) => !isRetained));
    assert.ok(host.deliveries.every(({ qos }, index) => qos === 0 || verbs[index] === 'NDEATH'));
  });
}

test('a connection that is cut is a death, then a birth with the next bdSeq, and history is marked', async (t) => {
  const { port } = await startMosquitto(t);
  const proxy = await startMqttProxy(t, port);
  const host = await openSparkplugHost(t, port);
  const { journal } = startNode(t, makeSettings([proxy.port]));
  await host.when(({ rules }) => rules.devices.length === 2);
  journal.take('boiler');
  await journal.acknowledgedUpTo(1);
  const first = host.rules.bdSeq;
  proxy.cut();
  await host.when(({ rules }) => !rules.isOnline);
  for (let index = 0; index < 20; index += 1) journal.take('boiler');
  await host.when(({ counts }) => counts.size === 21);
  journal.take('boiler');
  await host.when(({ counts }) => counts.size === 22);
  assert.equal(Number(host.rules.bdSeq), Number(first) + 1);
  assert.deepEqual(host.rules.violations, []);
  assert.equal(host.rules.values.at(-1)?.isHistorical, false);
  assert.ok(host.rules.values.some(({ isHistorical }) => isHistorical));
});

test('nothing is lost and no rule is broken on a network that cuts between any two bytes', async (t) => {
  const random = createRandom(7);
  const { port } = await startMosquitto(t);
  const proxy = await startMqttProxy(t, port);
  const host = await openSparkplugHost(t, port);
  const declared = { metricsPerMessage: 7, backlogMessagesPerSecond: 1000 };
  const { journal, counter } = startNode(t, makeSettings([proxy.port], declared));
  await host.when(({ rules }) => rules.isOnline);
  let tail = 0;
  for (let round = 0; round < 60; round += 1) {
    for (let index = 0; index < 20; index += 1) tail = journal.take(index % 3 === 0 ? 'boiler' : 'pump');
    proxy.halve(random() < 0.5);
    proxy.delay(random() < 0.3 ? 3 : 0);
    await delay(5 + random() * 40);
    if (random() < 0.3) proxy.cut();
  }
  proxy.halve(false);
  proxy.delay(0);
  await journal.acknowledgedUpTo(tail);
  await host.when(({ counts }) => counts.size === tail);
  assert.deepEqual(host.rules.violations, []);
  assert.ok(counter('reconnects') > 2);
  const repeats = [...host.counts.values()].filter((count) => count > 1).length;
  t.diagnostic(`${repeats} of ${tail} values came more than once, ${counter('reconnects')} connections`);
});

test('a hundred rebirth requests a second get one at once, then one every five seconds', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  const { journal, counter } = startNode(t, makeSettings([port]));
  await host.when(({ rules }) => rules.devices.length === 2);
  const births = (): number => host.rules.messages.filter(({ verb }) => verb === 'NBIRTH').length;
  // Five seconds of the node are fifty milliseconds here.
  const startMs = performance.now();
  for (let index = 0; index < 100; index += 1) {
    await host.requestRebirth();
    journal.take('boiler');
    await delay(2);
  }
  await until(() => counter('rebirthRequests') === 100);
  const lastedMs = performance.now() - startMs;
  journal.take('pump');
  await host.when(({ counts }) => counts.size === 101);
  assert.ok(births() >= 2, `${births()}`);
  assert.ok(births() <= 3 + lastedMs / 50, `${births()} births in ${lastedMs} ms`);
  assert.deepEqual(host.rules.violations, []);
});

test('a channel that is added, removed, renamed or retyped under load is born again, and no rule is broken', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  const { journal, counter } = startNode(t, makeSettings([port]), { channels: [makeChannel('boiler')] });
  await host.when(({ rules }) => rules.devices.length === 1);
  const over = new AbortController();
  const load = (async () => {
    while (!over.signal.aborted) {
      journal.take('boiler');
      await delay(1);
    }
  })();
  journal.define([makeChannel('boiler'), makeChannel('boiler', 'flow')]);
  await host.when(({ rules }) => rules.metricsOf('boiler').length === 2);
  // A channel whose samples come before the node has looked.
  journal.define([makeChannel('boiler'), makeChannel('pump', 'speed')]);
  journal.takeSample({ asset: 'pump', channel: 'speed', value: 0.5 });
  await host.when(({ counts }) => counts.has(0.5));
  assert.deepEqual(host.rules.metricsOf('boiler'), ['value']);
  journal.define([makeChannel('boiler', 'value', { valueType: 'LONG' })]);
  await host.when(({ rules }) => rules.devices.length === 1);
  journal.takeSample({ asset: 'boiler', value: 5n, valueType: 'LONG' });
  await host.when(({ counts }) => counts.has('5'));
  over.abort();
  await load;
  assert.ok(verbsOf(host).includes('DDEATH pump'));
  assert.deepEqual(host.rules.violations, []);
  await until(() => counter('unknownSamples') > 0);
});

test('arrays are packed, in births and data, and a command with one is JSON text again', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  const curve = { valueType: 'STRING', isWritable: true };
  const { journal, writes } = startNode(t, makeSettings([port], { arrays: ['boiler/curve=Int16Array'] }), {
    channels: [makeChannel('boiler', 'curve', curve), makeChannel('pump')],
    assets: {
      read: (asset) =>
        Promise.resolve(
          asset === 'boiler' ? [{ name: 'curve', valueType: 'STRING', value: '[1,-1]', timestampMs: 5 }] : [],
        ),
    },
  });
  await host.when(({ rules }) => rules.devices.length === 2);
  const [born] = host.rules.messages.find(({ device }) => device === 'boiler')?.payload.metrics ?? [];
  assert.deepEqual([born?.datatype, born?.bytesValue], [23, Buffer.from('0100ffff', 'hex')]);
  for (const value of ['[2]', '[1.5]']) {
    journal.takeSample({ asset: 'boiler', channel: 'curve', valueType: 'STRING', value });
  }
  await host.when(({ rules }) => rules.values.length === 2);
  assert.deepEqual(
    host.rules.values.map(({ value, quality }) => [value, quality]),
    [
      [Buffer.from('0200', 'hex'), undefined],
      [undefined, 0],
    ],
  );
  await host.command('boiler', [{ name: 'curve', datatype: 23, bytesValue: Buffer.from('0700', 'hex') }]);
  await until(() => writes.length === 1);
  assert.deepEqual(writes[0]?.[1], [{ name: 'curve', type: 'STRING', value: '[7]' }]);
  assert.deepEqual(host.rules.violations, []);
});

test('history of a channel that is no longer born is counted, not sent', async (t) => {
  const { port } = await startMosquitto(t);
  const proxy = await startMqttProxy(t, port);
  const host = await openSparkplugHost(t, port);
  const { journal, counter } = startNode(t, makeSettings([proxy.port]));
  await host.when(({ rules }) => rules.devices.length === 2);
  proxy.cut();
  await until(() => counter('reconnects') === 1);
  for (let index = 0; index < 10; index += 1) journal.take(index % 2 === 0 ? 'boiler' : 'pump');
  journal.define([makeChannel('boiler')]);
  await journal.acknowledgedUpTo(10);
  assert.equal(counter('unknownSamples'), 5);
  await host.when(({ counts }) => counts.size === 5);
});

test('a device that cannot be reached dies, and is born again with its next value', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  const channels = [makeChannel('boiler', 'a'), makeChannel('boiler', 'b'), makeChannel('pump')];
  const { journal } = startNode(t, makeSettings([port]), { channels });
  await host.when(({ rules }) => rules.devices.length === 2);
  const fail = (channel: string) =>
    journal.takeSample({ asset: 'boiler', channel, value: undefined, quality: 'BAD' });
  fail('a');
  await host.when(({ rules }) => rules.values.length === 1);
  assert.deepEqual(host.rules.devices, ['boiler', 'pump']);
  fail('b');
  await host.when(({ rules }) => !rules.devices.includes('boiler'));
  journal.takeSample({ asset: 'boiler', channel: 'b', value: 7 });
  await host.when(({ counts }) => counts.has(7));
  assert.deepEqual(verbsOf(host).slice(3), [
    'DDATA boiler',
    'DDATA boiler',
    'DDEATH boiler',
    'DBIRTH boiler',
    'DDATA boiler',
  ]);
  assert.deepEqual(
    host.rules.values.map(({ value, quality }) => [value, quality]),
    [
      [undefined, 0],
      [undefined, 0],
      [7, 192],
    ],
  );
  assert.deepEqual(host.rules.violations, []);
});
