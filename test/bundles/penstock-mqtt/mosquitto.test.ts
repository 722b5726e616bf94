import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

import { CommandRunner } from '../../../bundles/penstock-mqtt/command/command-runner.ts';
import type { CommandAssets } from '../../../bundles/penstock-mqtt/command/command-runner.ts';
import { SenderStatus } from '../../../bundles/penstock-mqtt/status.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../support/certificate-authority.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { openMqttLedger, sequencesOf } from '../../support/mqtt-ledger.ts';
import { startMqttProxy } from '../../support/mqtt-proxy.ts';
import { createRandom } from '../../support/random.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { makeSettings } from './connection-settings.ts';
import { startSender, until } from './running-sender.ts';

const { test } = testsThatNeed('mosquitto');

/** Timeouts that a busy machine keeps. */
const USUAL = { connectTimeoutMs: 3000, acknowledgeTimeoutMs: 3000 };

for (const protocolVersion of ['5', '3.1.1']) {
  for (const qos of [0, 1]) {
    test(`samples arrive by version ${protocolVersion} with QoS ${qos}`, async (t) => {
      const { port } = await startMosquitto(t);
      const ledger = await openMqttLedger(t, port);
      const { journal, report } = startSender(t, makeSettings(port, { protocolVersion, qos }, USUAL));
      await until(() => report().state === 'OK');
      for (let index = 0; index < 1000; index += 1) journal.take(index % 2 === 0 ? 'boiler' : 'pump');
      await journal.acknowledgedUpTo(1000);
      await ledger.when(({ counts }) => counts.size === 1000);
      assert.deepEqual(
        sequencesOf(ledger.messages),
        Array.from({ length: 1000 }, (_, index) => index + 1),
      );
    });
  }
}

test('the state is retained, ONLINE while connected, OFFLINE after a stop and after a lost connection', async (t) => {
  const { port } = await startMosquitto(t);
  const proxy = await startMqttProxy(t, port);
  const ledger = await openMqttLedger(t, port);
  const { sender, report } = startSender(t, makeSettings(proxy.port, {}, USUAL));
  const states = (): readonly string[] =>
    ledger.others.map(({ topic, text }) => `${topic} ${text}`).map((text) => text.replace(/.*"state":/, ''));
  await until(() => report().state === 'OK');
  await ledger.when(() => states().length === 1);
  proxy.cut();
  await ledger.when(() => states().length >= 3);
  await sender.stop();
  await ledger.when(() => states().length >= 4);
  assert.deepEqual(states(), ['"ONLINE"}', '"OFFLINE"}', '"ONLINE"}', '"OFFLINE"}']);
  const later = await openMqttLedger(t, port, { clientId: 'later' });
  await later.when(({ others }) => others.length > 0);
  assert.deepEqual(
    later.others.map(({ topic, text, isRetained }) => [topic, text, isRetained]),
    [['penstock/north/state', '{"gateway":"north","state":"OFFLINE"}', true]],
  );
});

test('nothing is lost, and live samples are in order, on a network that cuts, halves, delays and swallows', async (t) => {
  const random = createRandom(11);
  const { port } = await startMosquitto(t);
  const proxy = await startMqttProxy(t, port);
  const ledger = await openMqttLedger(t, port);
  const declared = { samplesPerMessage: 5, backlogMessagesPerSecond: 200 };
  const { journal, counter } = startSender(t, makeSettings(proxy.port, declared));
  await journal.acknowledged();
  let tail = 0;
  for (let round = 0; round < 60; round += 1) {
    for (let index = 0; index < 20; index += 1) tail = journal.take(index % 3 === 0 ? 'boiler' : 'pump');
    const drawn = random();
    if (drawn < 0.25) proxy.cut();
    proxy.halve(random() < 0.3);
    proxy.delay(random() < 0.3 ? 3 : 0);
    proxy.swallowPubacks(random() < 0.2);
    await delay(5 + random() * 40);
  }
  proxy.halve(false);
  proxy.swallowPubacks(false);
  await journal.acknowledgedUpTo(tail);
  await ledger.when(({ counts }) => counts.size === tail);
  const live = sequencesOf(ledger.messages, ({ backlog }) => backlog !== true);
  assert.deepEqual(
    live,
    live.toSorted((one, other) => one - other),
  );
  assert.equal(new Set(live).size, live.length, 'a live sample is never repeated as live');
  assert.ok((counter('reconnects') ?? 0) > 2);
  t.diagnostic(`${ledger.duplicates} of ${tail} samples came more than once`);
});

test('PUBACKs that are lost cost repeats and no samples', async (t) => {
  const { port } = await startMosquitto(t);
  const proxy = await startMqttProxy(t, port);
  const ledger = await openMqttLedger(t, port);
  const { journal, report } = startSender(t, makeSettings(proxy.port, { samplesPerMessage: 1 }, USUAL));
  await until(() => report().state === 'OK');
  // The first PUBACK is that of the message about the state, which is not sent again.
  journal.take('boiler');
  await journal.acknowledgedUpTo(1);
  proxy.swallowPubacks(true);
  for (let index = 0; index < 10; index += 1) journal.take('boiler');
  await until(() => proxy.swallowed > 0);
  proxy.swallowPubacks(false);
  await journal.acknowledgedUpTo(11);
  await ledger.when(({ counts }) => counts.size === 11);
  await ledger.when(({ duplicates }) => duplicates > 0);
  assert.ok(ledger.messages.every(({ backlog }, index) => index < 11 || backlog === true));
});

test('a broker that is killed and started again gets everything', async (t) => {
  const broker = await startMosquitto(t);
  const ledger = await openMqttLedger(t, broker.port);
  const { journal, report } = startSender(t, makeSettings(broker.port));
  await until(() => report().state === 'OK');
  let tail = 0;
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 100; index += 1) tail = journal.take('boiler');
    // What mosquitto has not yet written is lost with it, although it was acknowledged: it is here before.
    await journal.acknowledgedUpTo(tail);
    await ledger.when(({ counts }) => counts.size === tail);
    await broker.kill();
    for (let index = 0; index < 100; index += 1) tail = journal.take('boiler');
    await until(() => report().state === 'WARNING');
    await broker.start();
    await until(() => report().state === 'OK');
    // The session of the subscriber may have been lost with the broker: what came before it is not counted here.
    await journal.acknowledgedUpTo(tail);
    await until(() => report().counters?.['backlog'] === 0);
    await ledger.when(({ counts }) => counts.size === tail);
  }
});

test('TLS needs a trusted certificate of the right name, and gives the client certificate', async (t) => {
  const [authority, server, client] = await Promise.all([
    getCertificateAuthority(),
    getServerCertificate(),
    getClientCertificate('north'),
  ]);
  const { port } = await startMosquitto(
    t,
    [
      'cafile @DIRECTORY@/ca.pem',
      'certfile @DIRECTORY@/server.pem',
      'keyfile @DIRECTORY@/server.key',
      'require_certificate true',
      'use_identity_as_username true',
      'acl_file @DIRECTORY@/acl',
    ],
    {
      'ca.pem': authority.certificate,
      'server.pem': server.certificate,
      'server.key': server.privateKey,
      acl: 'user north\ntopic write penstock/north/#\ntopic read penstock/#\n',
    },
  );
  const brokers = [`mqtts://127.0.0.1:${port}`];
  const own = { certificate: [client.certificate], key: client.privateKey };
  const trusted = { brokers, certificateAuthorities: [authority.certificate], ...own };
  const { journal, report } = startSender(t, makeSettings(0, trusted, USUAL));
  await until(() => report().state === 'OK');
  journal.take('boiler');
  await journal.acknowledgedUpTo(1);

  for (const [settings, expected] of [
    [{ brokers, ...own }, /unable to verify|self.signed|issuer/i],
    [{ ...trusted, serverName: 'broker.example' }, /Hostname\/IP does not match|broker\.example/],
    [
      { brokers, certificateAuthorities: trusted.certificateAuthorities },
      /certificate required|alert|closed|ECONNRESET/,
    ],
  ] as const) {
    const refused = startSender(t, makeSettings(0, settings, USUAL));
    await until(() => /attempt in/.test(refused.report().detail ?? ''));
    assert.match(refused.report().detail ?? '', expected);
    assert.notEqual(refused.report().state, 'OK');
  }
});

test('a topic that the broker does not authorize is held and named, by MQTT 5', async (t) => {
  const { port } = await startMosquitto(t, ['allow_anonymous true', 'acl_file @DIRECTORY@/acl'], {
    acl: 'topic readwrite penstock/north/#\n',
  });
  const { journal, report } = startSender(t, makeSettings(port, { topic: 'plant/{asset}' }, USUAL));
  await until(() => report().state === 'OK');
  journal.take('boiler');
  await until(() => report().state === 'ERROR');
  assert.match(report().detail ?? '', /the broker refused "plant\/boiler": not authorized \(0x87\)/);
  assert.deepEqual(journal.acknowledgements, []);
});

test('a refused topic holds its own asset alone, which follows in order when the topic is allowed', async (t) => {
  const allowed = 'topic readwrite penstock/#\ntopic read plant/#\ntopic write plant/boiler\n';
  const broker = await startMosquitto(t, ['allow_anonymous true', 'acl_file @DIRECTORY@/acl'], {
    acl: allowed,
  });
  const { port } = broker;
  const proxy = await startMqttProxy(t, port);
  const ledger = await openMqttLedger(t, port);
  const declared = { topic: 'plant/{asset}', samplesPerMessage: 3 };
  const { journal, report, counter } = startSender(t, makeSettings(proxy.port, declared, USUAL));
  await until(() => report().state === 'OK');
  const take = (count: number): number => {
    for (let index = 0; index < count; index += 1) {
      journal.take('boiler');
      journal.take('pump');
    }
    return count;
  };
  let taken = take(10);
  await ledger.when(({ counts }) => counts.size === taken);
  await until(() => report().state === 'ERROR');
  assert.match(report().detail ?? '', /the broker refused "plant\/pump": not authorized \(0x87\)/);
  await until(() => (counter('refused') ?? 0) >= 3);
  taken += take(10);
  await ledger.when(({ counts }) => counts.size === taken);
  // The next connection sends nothing again that was acknowledged.
  await until(() => counter('samples') === taken);
  proxy.cut();
  await until(() => (counter('reconnects') ?? 0) > 0 && report().state !== 'WARNING');
  taken += take(10);
  await ledger.when(({ counts }) => counts.size === taken);
  assert.ok(ledger.messages.every(({ samples = [] }) => samples.every(({ asset }) => asset === 'boiler')));
  assert.ok(
    Math.max(0, ...journal.acknowledgements) < 2,
    'the cursor stays before the first sample of the pump',
  );
  assert.equal(counter('heldTopics'), 1);

  broker.replaceFile('acl', `${allowed}topic write plant/pump\n`);
  await journal.acknowledgedUpTo(2 * taken);
  await ledger.when(({ counts }) => counts.size === 2 * taken);
  await until(() => report().state === 'OK');
  const pump = ledger.messages.filter(({ samples = [] }) => samples.some(({ asset }) => asset === 'pump'));
  const sequences = sequencesOf(pump);
  assert.deepEqual(
    sequences,
    sequences.toSorted((one, other) => one - other),
  );
  assert.ok(pump.every(({ backlog }) => backlog === true));
  assert.equal(ledger.duplicates, 0);
  const last = journal.take('pump');
  await journal.acknowledgedUpTo(last);
  await ledger.when(({ messages }) => messages.at(-1)?.last === last);
  assert.equal(ledger.messages.at(-1)?.backlog, undefined);
  assert.equal(counter('heldTopics'), 0);
});

test('wrong credentials are an error that names the reason', async (t) => {
  const { port } = await startMosquitto(t, ['allow_anonymous false']);
  const { report } = startSender(t, makeSettings(port, { user: 'x', password: 'y' }, USUAL));
  await until(() => report().state === 'ERROR');
  assert.match(report().detail ?? '', /refused the connection: not authorized \(0x87\)/);
});

test('messages that mosquitto finds too large are sent in smaller ones', async (t) => {
  const { port } = await startMosquitto(t, ['allow_anonymous true', 'message_size_limit 2000']);
  const ledger = await openMqttLedger(t, port);
  const { journal, report } = startSender(t, makeSettings(port, {}, USUAL));
  await until(() => report().state === 'OK');
  for (let index = 0; index < 100; index += 1) journal.take('boiler');
  await journal.acknowledgedUpTo(100);
  await ledger.when(({ counts }) => counts.size === 100);
});

for (const protocolVersion of ['5', '3.1.1']) {
  test(`commands are carried out and answered, by version ${protocolVersion}`, async (t) => {
    const { port } = await startMosquitto(t);
    const ledger = await openMqttLedger(t, port);
    const written: unknown[][] = [];
    const assets: CommandAssets = {
      read: (_asset, channels = []) =>
        Promise.resolve(
          channels.map((name) => ({ name, valueType: 'LONG', value: 2n ** 60n, timestampMs: 7 })),
        ),
      write(asset, writes, options) {
        written.push([asset, writes, options]);
        if (asset === 'absent') {
          return Promise.reject(new Error('no asset "absent"', { cause: 'ASSET_UNKNOWN' }));
        }
        return Promise.resolve(
          writes.map(({ name, type, value }) => ({
            name,
            valueType: type,
            value,
            timestampMs: 8,
            outcome: 'VERIFIED',
          })),
        );
      },
    };
    const status = new SenderStatus();
    const commands = new CommandRunner({ gateway: 'north', assets, status });
    const declared = { protocolVersion, commandTopic: 'penstock/{gateway}/command' };
    const { counter } = startSender(t, makeSettings(port, declared, USUAL), {
      status,
      onCommand: (message, connection) => commands.accept(message, connection),
    });
    const answers = (): readonly (readonly [string, string])[] =>
      ledger.others
        .filter(({ topic }) => topic !== 'penstock/north/command')
        .map(({ topic, text }) => [topic, text]);
    const send = async (
      command: object | string,
      properties?: object,
    ): Promise<readonly [string, string]> => {
      const before = answers().length;
      const text = typeof command === 'string' ? command : JSON.stringify(command);
      await ledger.publish('penstock/north/command', text, properties === undefined ? {} : { properties });
      await ledger.when(() => answers().length > before);
      return answers().at(-1) ?? ['', ''];
    };
    // The state follows the subscription.
    await ledger.when(({ others }) => others.some(({ text }) => text.includes('ONLINE')));
    const writes = [{ name: 'count', type: 'LONG', value: 5 }];
    assert.deepEqual(await send({ asset: 'boiler', writes, correlationData: '17', responseTopic: 'mine' }), [
      'mine',
      '{"gateway":"north","asset":"boiler","correlationData":"17","records":[{"name":"count","valueType":"LONG","value":5,"timestamp":8,"outcome":"VERIFIED"}]}',
    ]);
    assert.deepEqual(written[0]?.slice(0, 2), ['boiler', [{ name: 'count', type: 'LONG', value: 5n }]]);
    assert.match(JSON.stringify(written[0]?.[2]), /^\{"key":"[0-9a-f]{64}"\}$/);
    assert.deepEqual(await send({ asset: 'boiler', channels: ['total'] }), [
      'penstock/north/response',
      '{"gateway":"north","asset":"boiler","records":[{"name":"total","valueType":"LONG","value":1152921504606846976,"timestamp":7}]}',
    ]);
    assert.deepEqual(await send('{'), [
      'penstock/north/response',
      '{"gateway":"north","error":{"code":"COMMAND_MALFORMED","message":"not JSON"}}',
    ]);
    assert.match((await send({ asset: 'absent', writes }))[1], /"error":\{"code":"ASSET_UNKNOWN"/);
    assert.match((await send('x'.repeat(70_000)))[1], /"code":"COMMAND_TOO_LARGE"/);
    if (protocolVersion === '5') {
      const correlationData = Buffer.from([1, 2, 3]);
      const [topic] = await send({ asset: 'boiler', writes }, { responseTopic: 'property', correlationData });
      assert.equal(topic, 'property');
      assert.deepEqual(ledger.properties.at(-1), { correlationData, contentType: 'application/json' });
    }
    assert.equal(counter('commandErrors'), 3);
  });
}

test('a retained command is not carried out again at each connection', async (t) => {
  const { port } = await startMosquitto(t);
  const ledger = await openMqttLedger(t, port);
  const command = JSON.stringify({ asset: 'boiler', writes: [{ name: 'a', type: 'BOOLEAN', value: true }] });
  await ledger.publish('c/north', command, { retain: true });
  let writes = 0;
  const assets: CommandAssets = {
    read: () => Promise.resolve([]),
    write: () => {
      writes += 1;
      return Promise.resolve([]);
    },
  };
  const status = new SenderStatus();
  const commands = new CommandRunner({ gateway: 'north', assets, status });
  const declared = { protocolVersion: '3.1.1', commandTopic: 'c/{gateway}', stateTopic: '' };
  startSender(t, makeSettings(port, declared, USUAL), {
    status,
    onCommand: (message, connection) => commands.accept(message, connection),
  });
  await ledger.when(({ others }) => others.some(({ text }) => text.includes('COMMAND_RETAINED')));
  assert.equal(writes, 0);
});
