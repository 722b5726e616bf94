import assert from 'node:assert/strict';

import { startMosquitto } from '../../support/mosquitto.ts';
import { openSparkplugHost } from '../../support/sparkplug-host.ts';
import type { SparkplugHost } from '../../support/sparkplug-host.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { makeSettings } from './declared-settings.ts';
import { startNode, until } from './running-node.ts';

const { test } = testsThatNeed('mosquitto');

const isBorn = ({ rules }: SparkplugHost): boolean => rules.devices.length === 2;

test('nothing is sent before the primary host is online, whatever other hosts are', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  await host.setState('other', true, 1000);
  const { journal, report } = startNode(t, makeSettings([port], { primaryHost: 'scada' }));
  await until(() => /waits for host "scada"/.test(report().detail));
  journal.take('boiler');
  await host.setState('scada', false, 1000);
  await host.publish('spBv1.0/STATE/scada', 'no JSON');
  assert.equal(report().state, 'WARNING');
  assert.deepEqual(host.rules.messages, []);
  await host.setState('scada', true, 2000);
  await host.when(isBorn);
  await host.when(({ counts }) => counts.size === 1);
  assert.deepEqual(host.rules.violations, []);
});

test('a host that goes offline is a death; what arrived within the window before comes again as history', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  await host.setState('scada', true, 1000);
  // Longer than the test on any machine; a unit test shows that samples before the window count as delivered.
  const declared = { primaryHost: 'scada', replaySeconds: 3600 };
  const { journal, counter, report } = startNode(t, makeSettings([port], declared));
  await host.when(isBorn);
  for (let index = 0; index < 10; index += 1) journal.take('boiler');
  await host.when(({ counts }) => counts.size === 10);
  for (let index = 0; index < 10; index += 1) journal.take('pump');
  await host.when(({ counts }) => counts.size === 20);
  // Of an earlier session of the host: it is ignored.
  await host.setState('scada', false, 500);
  journal.take('boiler');
  await host.when(({ counts }) => counts.size === 21);
  assert.ok(host.rules.isOnline);
  const first = Number(host.rules.bdSeq);
  await host.setState('scada', false, 1000);
  await host.when(({ rules }) => !rules.isOnline);
  assert.equal(host.rules.messages.at(-1)?.verb, 'NDEATH');
  await until(() => /waits for host/.test(report().detail));
  assert.equal(counter('hostLosses'), 1);
  journal.take('boiler');
  const before = host.rules.messages.length;
  await host.setState('scada', true, 3000);
  await host.when(isBorn);
  await host.when(({ counts }) => counts.size === 22);
  await host.when(({ counts }) => [...counts.values()].filter((count) => count === 2).length === 21);
  assert.ok(Number(host.rules.bdSeq) > first);
  const again = host.rules.values.slice(21);
  assert.ok(again.every(({ isHistorical }) => isHistorical));
  assert.deepEqual(
    again.map(({ value }) => Number(value)).toSorted((one, other) => one - other),
    Array.from({ length: 22 }, (_, index) => 1 + index),
  );
  assert.equal(host.rules.messages[before]?.verb, 'NBIRTH');
  assert.deepEqual(host.rules.violations, []);
});

test('a host that is online again without having been offline gets the samples within the window again', async (t) => {
  const broker = await startMosquitto(t);
  const host = await openSparkplugHost(t, broker.port);
  await host.setState('scada', true, 1000);
  const declared = { primaryHost: 'scada', replaySeconds: 3600 };
  const { journal, counter } = startNode(t, makeSettings([broker.port], declared));
  await host.when(isBorn);
  for (let index = 0; index < 10; index += 1) journal.take('boiler');
  await host.when(({ counts }) => counts.size === 10);
  const countAgain = (): number => [...host.counts.values()].filter((count) => count > 1).length;
  // The same session of the host.
  await host.setState('scada', true, 1000);
  journal.take('boiler');
  await host.when(({ counts }) => counts.size === 11);
  assert.equal(countAgain(), 0);
  await host.setState('scada', true, 2000);
  await host.when(() => countAgain() === 11);
  assert.equal(counter('reconnects'), 0);
  // What the node does not know to have arrived, it would send again on the next connection.
  await until(() => counter('historicalSamples') === 11);
  assert.deepEqual(host.rules.violations, []);
  // The host ends together with its broker, which has kept the last state.
  await broker.kill();
  // The node may be back first: births are not kept for a host that is not connected.
  await until(() => counter('reconnects') === 1);
  journal.take('boiler');
  await broker.start();
  await host.when(({ counts }) => counts.has(12));
  assert.equal([...host.counts.values()].filter((count) => count > 2).length, 0);
  await host.setState('scada', true, 3000);
  await host.when(({ counts }) => [...counts.values()].filter((count) => count === 3).length === 11);
});

test('a host that goes offline during a backlog gets the rest of it when it is back, and nothing is lost', async (t) => {
  const { port } = await startMosquitto(t);
  const host = await openSparkplugHost(t, port);
  const declared = {
    primaryHost: 'scada',
    metricsPerMessage: 5,
    backlogMessagesPerSecond: 5,
    replaySeconds: 1,
  };
  const { journal } = startNode(t, makeSettings([port], declared));
  await journal.acknowledged();
  let tail = 0;
  for (let index = 0; index < 1000; index += 1) tail = journal.take(index % 2 === 0 ? 'boiler' : 'pump');
  for (let round = 1; round <= 5; round += 1) {
    await host.setState('scada', true, round * 1000);
    const before = host.counts.size;
    await host.when(({ counts }) => counts.size > before + 50);
    tail = journal.take('pump');
    await host.setState('scada', false, round * 1000 + 1);
    await host.when(({ rules }) => !rules.isOnline);
  }
  await host.setState('scada', true, 9000);
  await host.when(({ counts }) => counts.size === tail);
  await journal.acknowledgedUpTo(tail);
  assert.deepEqual(host.rules.violations, []);
});

test('with two brokers the node walks to the one where the primary host is', async (t) => {
  const [first, second] = await Promise.all([startMosquitto(t), startMosquitto(t)]);
  const [one, two] = await Promise.all([openSparkplugHost(t, first.port), openSparkplugHost(t, second.port)]);
  // Nothing is known of the host at the first one.
  await two.setState('scada', true, 1000);
  const declared = { primaryHost: 'scada', replaySeconds: 0, hostWaitSeconds: 5 };
  const { journal, report } = startNode(t, makeSettings([first.port, second.port], declared));
  await two.when(isBorn);
  assert.match(report().detail, new RegExp(`:${second.port}, born`));
  assert.equal(one.rules.messages.filter(({ verb }) => verb !== 'NDEATH').length, 0);
  journal.take('boiler');
  await two.when(({ counts }) => counts.size === 1);
  await one.setState('scada', true, 2000);
  await two.setState('scada', false, 2000);
  await one.when(isBorn);
  journal.take('boiler');
  await one.when(({ counts }) => counts.size === 1);
  await two.when(({ rules }) => !rules.isOnline);
  assert.deepEqual([...one.rules.violations, ...two.rules.violations], []);
  assert.ok(Number(one.rules.bdSeq) > Number(two.rules.bdSeq));
});
