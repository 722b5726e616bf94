import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';

const PATH = '/services/session/v1/_settings';
const PASSWORD = 'turbine-password';
const identities = ['operator', 'deputy'].map((name) => ({
  name,
  permissions: ['rest.assets'],
  password: PASSWORD,
}));

test('the gateway keeps the settings of each identity for its next session, over a restart', async (t) => {
  const config = { provision: { identities } };
  const gateway = await startGateway(t, { config });
  const [port = 0] = gateway.httpsPorts;
  const enter = async (name: string, at: number): Promise<SessionClient> => {
    const client = new SessionClient({ port: at });
    await client.login(name, PASSWORD);
    return client;
  };
  const settings = {
    zone: 'UTC',
    language: 'de',
    density: 'COMPACT',
    pins: [{ asset: 'boiler', channel: 'flowTemperature' }],
  };
  assert.equal((await send({ port }, 'GET', PATH)).status, 401);
  const operator = await enter('operator', port);
  assert.deepEqual((await operator.send('GET', PATH)).json, {});
  assert.equal((await operator.send('PUT', PATH, { body: settings })).status, 204);
  assert.deepEqual((await operator.send('GET', PATH)).json, settings);
  assert.deepEqual((await (await enter('deputy', port)).send('GET', PATH)).json, {});
  await gateway.stop();
  const again = await startGateway(t, { directory: gateway.directory, config });
  const next = await enter('operator', again.httpsPorts[0] ?? 0);
  assert.deepEqual((await next.send('GET', PATH)).json, settings);
});

test('settings are bounded: unknown members, values and more than twelve pins are refused', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities } } });
  const [port = 0] = gateway.httpsPorts;
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  const pins = Array.from({ length: 13 }, (_, index) => ({ asset: 'boiler', channel: `channel${index}` }));
  const refused: readonly unknown[] = [
    { theme: 'dark' },
    { zone: 'Europe/Berlin' },
    { language: 'fr' },
    { pins },
    { pins: [{ asset: 'boiler', channel: '' }] },
    { pins: [{ asset: 'b'.repeat(256), channel: 'c' }] },
  ];
  for (const body of refused) assert.equal((await client.send('PUT', PATH, { body })).status, 400);
  const long = { pins: [{ asset: 'b'.repeat(40_000), channel: 'c' }] };
  assert.equal((await client.send('PUT', PATH, { body: long })).status, 413);
  assert.deepEqual((await client.send('GET', PATH)).json, {});
  assert.equal((await client.send('PUT', PATH, { body: { pins: pins.slice(1) } })).status, 204);
});
