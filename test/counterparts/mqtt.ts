/** The package penstock-mqtt with brokers of other makes; each is fetched and built when it is first needed, or skipped. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, suite, test } from 'node:test';

import { makeSettings } from '../bundles/penstock-mqtt/connection-settings.ts';
import { startSender, until } from '../bundles/penstock-mqtt/running-sender.ts';
import { findFreePort } from '../support/free-ports.ts';
import { openMqttLedger, sequencesOf } from '../support/mqtt-ledger.ts';
import { startMqttProxy } from '../support/mqtt-proxy.ts';
import { prepare, start } from './counterpart.ts';
import type { Make, Running } from './counterpart.ts';
import { MQTT_MAKES } from './mqtt-makes.ts';

/** Timeouts that a busy machine keeps. */
const USUAL = { connectTimeoutMs: 5000, acknowledgeTimeoutMs: 5000 };
const MAXIMUM_BYTES = 20_000;
const DENIED = 'plant/pump';
/** Messages that every broker here accepts. */
const SMALL = { samplesPerMessage: 50 };
const VERSIONS = ['5', '3.1.1'] as const;

for (const make of MQTT_MAKES) {
  const made = await prepare(make);
  if ('skip' in made) test(make.name, { skip: made.skip }, () => {});
  else suite(make.name, { timeout: 300_000 }, () => testBroker(make, made.directory));
}

function testBroker(make: Make, directory: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'penstock-mqtt-'));
  let running: { readonly port: number; broker: Running } | undefined;
  const startBroker = (port: number): Promise<Running> =>
    start(make, directory, { port, maximumBytes: MAXIMUM_BYTES, denied: DENIED, directory: folder });
  const findPort = async (): Promise<number> => {
    const port = running?.port ?? (await findFreePort());
    running ??= { port, broker: await startBroker(port) };
    return port;
  };
  after(async () => {
    await running?.broker.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const protocolVersion of VERSIONS) {
    for (const qos of [0, 1]) {
      test(`samples arrive by version ${protocolVersion} with QoS ${qos}, in order`, async (t) => {
        const port = await findPort();
        const topic = `v${protocolVersion}/q${qos}`;
        const ledger = await openMqttLedger(t, port, { clientId: `ledger-${topic}` });
        const declared = { ...SMALL, protocolVersion, qos, topic, clientId: topic };
        const { journal, report } = startSender(t, makeSettings(port, declared, USUAL));
        await until(() => report().state === 'OK');
        const expected = Array.from({ length: 1000 }, (_, index) =>
          journal.take(index % 2 === 0 ? 'a' : 'b'),
        );
        await journal.acknowledgedUpTo(1000);
        await ledger.when(({ counts }) => counts.size === 1000);
        assert.deepEqual(sequencesOf(ledger.messages), expected);
      });
    }
  }

  test('the state is retained, ONLINE while connected, OFFLINE after a lost connection and after a stop', async (t) => {
    const port = await findPort();
    const proxy = await startMqttProxy(t, port);
    const ledger = await openMqttLedger(t, port, { clientId: 'ledger-state' });
    const stateTopic = 'state/{gateway}';
    const settings = makeSettings(proxy.port, { stateTopic, clientId: 'state' }, USUAL);
    const { sender, report } = startSender(t, settings);
    const states = (): readonly string[] =>
      ledger.others
        .filter(({ topic }) => topic === 'state/north')
        .map(({ text }) => /[A-Z]+/.exec(text)?.[0] ?? '');
    await until(() => report().state === 'OK');
    await ledger.when(() => states().length === 1);
    proxy.cut();
    await ledger.when(() => states().length >= 3);
    await sender.stop();
    await ledger.when(() => states().length >= 4);
    assert.deepEqual(states(), ['ONLINE', 'OFFLINE', 'ONLINE', 'OFFLINE']);
    const later = await openMqttLedger(t, port, { clientId: 'later' });
    await later.when(({ others }) =>
      others.some(({ topic, isRetained }) => topic === 'state/north' && isRetained),
    );
  });

  for (const protocolVersion of VERSIONS) {
    test(`messages that are too large are sent in smaller ones, by version ${protocolVersion}`, async (t) => {
      const port = await findPort();
      const topic = `large/${protocolVersion}`;
      const ledger = await openMqttLedger(t, port, { clientId: `ledger-${topic}` });
      const declared = { protocolVersion, topic, clientId: topic, stateTopic: '' };
      const { journal, report } = startSender(t, makeSettings(port, declared, USUAL));
      await until(() => report().state === 'OK');
      for (let index = 0; index < 1000; index += 1) journal.take('boiler');
      await journal.acknowledgedUpTo(1000);
      await ledger.when(({ counts }) => counts.size === 1000);
    });

    test(`a refused topic holds its own asset alone, by version ${protocolVersion}`, async (t) => {
      const port = await findPort();
      const ledger = await openMqttLedger(t, port, { clientId: `ledger-refused-${protocolVersion}` });
      const declared = {
        ...SMALL,
        protocolVersion,
        topic: 'plant/{asset}',
        clientId: `refused-${protocolVersion}`,
      };
      const { journal, report, counter } = startSender(t, makeSettings(port, declared, USUAL));
      await until(() => report().state === 'OK');
      for (let index = 0; index < 20; index += 1) journal.take(index % 2 === 0 ? 'pump' : 'boiler');
      await until(() => counter('heldTopics') === 1);
      await ledger.when(({ counts }) => counts.size === 10);
      const live = journal.take('boiler');
      await ledger.when(({ messages }) => messages.some(({ last }) => last === live));
      assert.match(
        report().checks.find(({ name }) => name === `topic ${DENIED}`)?.detail ?? '',
        /plant\/pump/,
      );
      assert.deepEqual(journal.acknowledgements, []);
    });

    test(`a user that is refused is an error with a remedy, by version ${protocolVersion}`, async (t) => {
      const port = await findPort();
      const declared = { protocolVersion, user: 'intruder', password: 'x', clientId: 'intruder' };
      const { report } = startSender(t, makeSettings(port, declared, USUAL));
      await until(() => report().state === 'ERROR');
      assert.match(report().checks[0]?.remedy ?? '', /"user" and "password"/);
    });
  }

  test('a broker that is killed and started again gets everything', async (t) => {
    const port = await findPort();
    const { journal, report } = startSender(
      t,
      makeSettings(port, { ...SMALL, topic: 'killed', clientId: 'killed' }, USUAL),
    );
    await until(() => report().state === 'OK');
    for (let index = 0; index < 100; index += 1) journal.take('boiler');
    await journal.acknowledgedUpTo(100);
    await running?.broker.kill();
    for (let index = 0; index < 100; index += 1) journal.take('boiler');
    await until(() => report().state === 'WARNING');
    running = { port, broker: await startBroker(port) };
    await journal.acknowledgedUpTo(200);
    const ledger = await openMqttLedger(t, port, { clientId: 'ledger-killed' });
    await until(() => report().state === 'OK');
    const last = journal.take('boiler');
    await ledger.when(({ messages }) => messages.some((message) => message.last === last));
  });
}
