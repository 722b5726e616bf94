import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openMqttLink } from '../../../../bundles/mqtt/broker/mqtt-link.ts';
import type { BrokerLink } from '../../../../bundles/mqtt/broker/broker-link.ts';
import type { ConnectionSettings } from '../../../../bundles/penstock-mqtt/settings.ts';
import { startFakeBroker } from '../../../support/fake-broker.ts';
import type { BrokerScript, FakeBroker } from '../../../support/fake-broker.ts';
import { createRandom } from '../../../support/random.ts';
import { makeSettings } from '../../penstock-mqtt/connection-settings.ts';

const never = new AbortController().signal;
const MESSAGE = { topic: 'a/b', payload: '{}', qos: 1 } as const;

async function open(port: number, more: Partial<ConnectionSettings> = {}): Promise<BrokerLink> {
  const { connection } = makeSettings(port);
  const [address] = connection.brokers;
  assert.ok(address !== undefined);
  return openMqttLink(address, { ...connection, ...more }, undefined, never);
}

async function start(
  t: TestContext,
  script: BrokerScript = {},
  more: Partial<ConnectionSettings> = {},
): Promise<{ readonly broker: FakeBroker; readonly link: BrokerLink }> {
  const broker = await startFakeBroker(t, script);
  const link = await open(broker.port, more);
  t.after(async () => link.close());
  return { broker, link };
}

test('a broker that accepts the connection and stays silent is given up after the connect timeout', async (t) => {
  const broker = await startFakeBroker(t, { connack: () => undefined });
  await assert.rejects(open(broker.port), { name: 'LinkEnded', message: /did not respond within 400 ms$/ });
});

test('an attempt can be stopped', async (t) => {
  const broker = await startFakeBroker(t, { connack: () => undefined });
  const { connection } = makeSettings(broker.port, {}, { connectTimeoutMs: 60_000 });
  const [address] = connection.brokers;
  assert.ok(address !== undefined);
  const controller = new AbortController();
  const opening = openMqttLink(address, connection, undefined, controller.signal);
  await broker.connected(1);
  controller.abort();
  await assert.rejects(opening, { name: 'LinkEnded' });
});

test('a port without a broker is an end with its reason', async () => {
  await assert.rejects(open(1), { name: 'LinkEnded', message: /ECONNREFUSED/, isPermanent: false });
});

for (const [code, isPermanent] of [
  [0x87, true],
  [0x86, true],
  [0x88, false],
] as const) {
  test(`CONNACK with reason 0x${code.toString(16)} is a refused connection, permanent: ${isPermanent}`, async (t) => {
    const broker = await startFakeBroker(t, { connack: () => code });
    await assert.rejects(open(broker.port), {
      name: 'LinkEnded',
      message: /refused the connection: .* \(0x8[678]\)$/,
      isPermanent,
    });
  });
}

test('publish resolves at the PUBACK', async (t) => {
  const { broker, link } = await start(t);
  await link.publish(MESSAGE);
  assert.deepEqual(broker.messages, [MESSAGE]);
});

test('publish with QoS 0 resolves at the PINGRESP to a PINGREQ that follows', async (t) => {
  const { broker, link } = await start(t);
  await Promise.all([link.publish({ ...MESSAGE, qos: 0 }), link.publish({ ...MESSAGE, qos: 0 })]);
  assert.deepEqual(
    broker.messages.map(({ qos }) => qos),
    [0, 0],
  );
});

test('a broker whose maximum QoS is 0 gets QoS 0', async (t) => {
  const { broker, link } = await start(t, { properties: [0x24, 0] });
  await link.publish(MESSAGE);
  assert.equal(broker.messages[0]?.qos, 0);
});

test('the receive maximum and the maximum packet size of the broker are known', async (t) => {
  const { link } = await start(t, { properties: [0x21, 0, 7, 0x27, 0, 0, 4, 0] });
  assert.deepEqual([link.receiveMaximum, link.maximumPacketBytes], [7, 1024]);
});

test('a PUBACK with a reason is a refused message, and the connection stays', async (t) => {
  const { link } = await start(t, { puback: (_message, index) => (index === 0 ? 0x97 : 0) });
  await assert.rejects(link.publish(MESSAGE), {
    name: 'MessageRefused',
    code: 0x97,
    message: 'the broker refused "a/b": quota exceeded (0x97)',
  });
  await link.publish(MESSAGE);
});

test('a message without PUBACK ends the connection after the acknowledge timeout', async (t) => {
  const { link } = await start(t, { puback: () => undefined });
  await assert.rejects(link.publish(MESSAGE), { message: /did not acknowledge a message within 400 ms$/ });
  assert.equal((await link.ended).name, 'LinkEnded');
});

// The library does not call the callbacks of publish when the connection closes.
test('publish ends when the connection does, and at once after that', async (t) => {
  const broker = await startFakeBroker(t, { puback: () => undefined });
  const link = await open(broker.port, { acknowledgeTimeoutMs: 60_000 });
  const publishing = [link.publish(MESSAGE), link.publish({ ...MESSAGE, qos: 0 })];
  const ends = Promise.allSettled(publishing);
  await broker.received(2);
  broker.send(Buffer.from([0xe0, 1, 0x8b]));
  for (const end of (await ends).slice(0, 1)) {
    assert.equal(end.status, 'rejected');
    assert.match(String(end.reason), /ended the connection: server shutting down \(0x8b\)$/);
  }
  await assert.rejects(link.publish(MESSAGE), { name: 'LinkEnded' });
});

test('a packet that is too long ends the connection before it is in memory', async (t) => {
  const { broker, link } = await start(t);
  broker.send(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
  assert.match((await link.ended).message, /sent a packet of more than 262144 bytes$/);
});

test('whatever a broker sends, the connection ends or stays, and the process with it', async (t) => {
  const random = createRandom(7);
  const broker = await startFakeBroker(t, {
    afterConnack: () => {
      const length = 1 + Math.floor(random() * 30);
      const body = Uint8Array.from({ length }, () => Math.floor(random() * 256));
      // Packets of every type with a right length and a random content.
      return Buffer.concat([Buffer.from([Math.floor(random() * 256), length]), body, Buffer.from([0xe0, 0])]);
    },
  });
  for (let index = 0; index < 300; index += 1) {
    const link = await open(broker.port).catch(() => undefined);
    const end = await link?.ended;
    assert.ok(link === undefined || end?.name === 'LinkEnded');
  }
  assert.ok(broker.connections >= 300);
});
