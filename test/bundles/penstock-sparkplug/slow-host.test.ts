import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { startMosquitto } from '../../support/mosquitto.ts';
import { startMqttProxy } from '../../support/mqtt-proxy.ts';
import { openSparkplugHost } from '../../support/sparkplug-host.ts';
import type { SparkplugHost } from '../../support/sparkplug-host.ts';
import { valueOf } from '../../support/sparkplug-payload.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { makeSettings } from './declared-settings.ts';
import { makeChannel, startNode, until } from './running-node.ts';

const { test } = testsThatNeed('mosquitto');

/** Texts that are more than the buffers of all sockets hold. */
const COUNT = 400;
const TEXT = 'x'.repeat(20_000);

/** Starts an edge node at a broker that drops messages of QoS 0 towards a host that does not read. */
async function startWithSlowHost(t: Owner, declared: Readonly<Record<string, unknown>> = {}) {
  const { port } = await startMosquitto(t, ['allow_anonymous true', 'max_queued_messages 10']);
  const proxy = await startMqttProxy(t, port);
  const host = await openSparkplugHost(t, proxy.port);
  await host.setState('scada', true, 1000);
  const settings = { metricsPerMessage: 1, messagesPerSecond: 10_000, ...declared };
  const channels = [makeChannel('boiler', 'text', { valueType: 'STRING' })];
  const node = startNode(t, makeSettings([port], settings), { channels });
  await host.when(({ rules }) => rules.devices.length === 1);
  // The host may have the births before the node has counted them.
  await until(() => node.counter('messages') === 2);
  return { ...node, proxy, host };
}

/** Takes texts that no other sample has, and returns the sequence number of the last one. */
function takeTexts({ journal }: Pick<ReturnType<typeof startNode>, 'journal'>, from: number, count: number) {
  let tail = 0;
  for (let number = from; number < from + count; number += 1) {
    tail = journal.takeSample({
      asset: 'boiler',
      channel: 'text',
      valueType: 'STRING',
      value: nameText(number),
    });
  }
  return tail;
}

const nameText = (number: number): string => `${number} ${TEXT}`;
const birthsOf = ({ rules }: SparkplugHost): number =>
  rules.messages.filter(({ verb }) => verb === 'NBIRTH').length;

/** Lets the host miss texts, and then read again. Returns the number of all texts; it has the last one. */
async function missTexts({ journal, host, proxy, counter }: Awaited<ReturnType<typeof startWithSlowHost>>) {
  proxy.hold(true);
  const before = counter('messages');
  takeTexts({ journal }, 0, COUNT);
  await until(() => counter('messages') === before + COUNT);
  proxy.hold(false);
  let taken = COUNT;
  // The first ones are dropped as well: the queue is full.
  while (!host.counts.has(nameText(taken - 1))) {
    takeTexts({ journal }, taken, 1);
    taken += 1;
    await delay(10);
  }
  await host.when(({ counts }) => counts.has(nameText(taken - 1)));
  return taken;
}

test('a host that missed messages gets the current values with a rebirth, and everything that follows', async (t) => {
  const slow = await startWithSlowHost(t);
  const { host, journal, counter } = slow;
  const taken = await missTexts(slow);
  const lost = taken - host.counts.size;
  t.diagnostic(`${lost} of ${taken} messages were dropped`);
  assert.ok(lost > 0);
  // The host sees it by the sequence number, unless as many are missing as there are numbers.
  if (lost % 256 > 0) assert.ok(host.rules.violations.length > 0);
  const before = birthsOf(host);
  const startMs = performance.now();
  for (let request = 0; request < 20; request += 1) await host.requestRebirth();
  await host.when((each) => birthsOf(each) > before && each.rules.devices.length === 1);
  const birth = host.rules.messages.findLast(({ verb }) => verb === 'DBIRTH');
  assert.deepEqual(birth?.payload.metrics.map(valueOf), [nameText(taken - 1)]);
  host.rules.violations.length = 0;
  await journal.acknowledgedUpTo(takeTexts({ journal }, taken, 10));
  await host.when(({ counts }) => counts.size === taken + 10 - lost);
  assert.deepEqual(host.rules.violations, []);
  assert.equal(counter('samples'), taken + 10);
  // Five seconds of the node are fifty milliseconds here.
  const bound = 2 + (performance.now() - startMs) / 50;
  assert.ok(birthsOf(host) - before <= bound, `${birthsOf(host) - before} births, at most ${bound}`);
});

test('a primary host that begins another session gets what was dropped as history', async (t) => {
  const declared = { primaryHost: 'scada', replaySeconds: 3600, backlogMessagesPerSecond: 3 };
  const slow = await startWithSlowHost(t, declared);
  const taken = await missTexts(slow);
  assert.ok(slow.host.counts.size < taken);
  await slow.host.setState('scada', true, 2000);
  await slow.host.when(({ counts }) => counts.size === taken);
});
