import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needsReconnect, readSettings } from '../../../bundles/penstock-mqtt/settings.ts';
import { getClientCertificate, getServerCertificate } from '../../support/certificate-authority.ts';
import { declareSettings } from './declared-settings.ts';

const read = (settings: Readonly<Record<string, unknown>> = {}) =>
  readSettings(declareSettings(settings), 'north');

test('readSettings fills in the defaults and the name of the gateway', () => {
  const { connection, delivery } = read();
  assert.equal(connection.clientId, 'penstock-north');
  assert.equal(connection.stateTopic, 'penstock/north/state');
  assert.equal(connection.commandTopic, undefined);
  assert.equal(connection.protocolVersion, '5');
  assert.deepEqual([delivery.qos, delivery.window], [1, 20]);
  assert.equal(delivery.topic.format({ gateway: 'north', recorder: 'fast' }), 'penstock/north/fast');
});

for (const [settings, expected] of [
  [{ brokers: [] }, /^brokers: at least one is required$/],
  [{ brokers: ['http://a'] }, /^brokers: "http:\/\/a" is no broker; expected mqtt:\/\/HOST:PORT/],
  [{ brokers: ['mqtt://user:secret@a'] }, /^brokers: the broker a has credentials in its address/],
  [{ recorders: [] }, /^recorders: at least one is required$/],
  [{ recorders: ['a', 'b', 'a'] }, /^recorders: "a" is named twice$/],
  [{ topic: 'a/{plant}' }, /^topic: unknown name \{plant\}/],
  [{ gapTopic: 'a/{asset}' }, /^gapTopic: unknown name \{asset\}/],
  [{ stateTopic: 'a/#' }, /^stateTopic: the wildcard/],
  [{ commandTopic: 'a//b' }, /^commandTopic: empty level/],
  [{ commandTopic: 'a/c', responseTopic: 'a/c' }, /^responseTopic: must differ from "commandTopic"$/],
  [{ certificateAuthorities: ['hello'] }, /^certificateAuthorities: /],
  [{ key: 'hello' }, /^key: not a PEM key without passphrase$/],
  [{ protocolVersion: '3.1.1', password: 'x' }, /^user: required with "password"/],
] as const) {
  test(`readSettings refuses ${JSON.stringify(settings)} and names the setting`, () => {
    assert.throws(() => read(settings), { message: expected });
  });
}

test('readSettings takes a client certificate with its key, and no other key', async () => {
  const client = await getClientCertificate('north');
  const { certificate, privateKey: key } = client;
  assert.deepEqual(read({ certificate: [certificate], key }).connection.certificate, [certificate]);
  assert.throws(
    () => read({ certificate: [certificate] }),
    /^SettingsError: key: required with "certificate"$/,
  );
  assert.throws(() => read({ key }), /^SettingsError: certificate: required with "key"$/);
  const { privateKey: other } = await getServerCertificate();
  assert.throws(
    () => read({ certificate: [certificate], key: other }),
    /^SettingsError: key: not the key of/,
  );
});

test('a change of the connection needs a new one, a change of topics and recorders does not', () => {
  const before = read().connection;
  assert.equal(
    needsReconnect(before, read({ topic: 'x', recorders: ['slow'], window: 5 }).connection),
    false,
  );
  for (const settings of [{ password: 'x' }, { keepaliveSeconds: 60 }, { brokers: ['mqtt://b'] }]) {
    assert.equal(needsReconnect(before, read(settings).connection), true);
  }
});
