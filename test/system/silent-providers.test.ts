import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { answerOf } from '../support/answer-of.ts';
import { listBundles } from '../../daemon/interface/software/bundles.ts';

const PASSWORD = 'turbine-password';
const operator = { name: 'operator', permissions: ['rest.deploy', 'rest.admin'], password: PASSWORD };
const machine = { name: 'machine', permissions: ['rest.assets'] };

// Answers only clients that are in a hurry.
const MAIN = `
  export async function activate({ bundle, logger, registerAuthenticationProvider }) {
    await registerAuthenticationProvider({
      priority: 50,
      headers: ['x-name'],
      authenticate({ headers }) {
        logger.info('asked');
        return headers['x-name'] === 'machine' ? 'machine' : new Promise(() => {});
      },
    });
  }`;

const NAMES = ['one', 'two', 'three'];

async function startBench(t: Parameters<typeof startGateway>[0]) {
  const metrics = { port: 0 };
  const gateway = await startGateway(t, {
    config: { metrics, provision: { identities: [operator, machine] } },
  });
  const port = gateway.httpsPorts[0] ?? 0;
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  const bundles = NAMES.map((name) => ({ symbolicName: name, main: MAIN, permissions: 'authentication' }));
  const installed = await uploadPackage(client, buildPackage({ symbolicName: 'silent', bundles }));
  assert.equal(installed.state, 'COMPLETED', installed.message);
  const ask = async (name?: string) => {
    const headers = name === undefined ? {} : { 'X-Name': name };
    return (await send({ port }, 'GET', '/services/assets', { headers })).status;
  };
  const list = async () => answerOf(listBundles, await client.send('GET', '/services/deploy/v2/_bundles'));
  return { gateway, ask, list };
}

function countAsked({ lines }: RunningGateway): number {
  return lines.filter(({ event, message }) => event === 'bundle.logged' && message === 'asked').length;
}

test('three silent providers are passed over after a few requests, and take part again when they answer', async (t) => {
  const { gateway, ask, list } = await startBench(t);
  assert.deepEqual((await list())[0]?.providers, [{ priority: 50, headers: ['x-name'], state: 'ANSWERING' }]);

  // Requests without the field do not concern them.
  assert.equal(await ask(), 401);
  assert.equal(countAsked(gateway), 0);

  const isSuspended = async () =>
    (await list()).every(({ providers }) => providers?.[0]?.state === 'SUSPENDED');
  let requests = 0;
  for (; !(await isSuspended()); requests += 1) assert.equal(await ask('silence'), 401);
  for (; requests < 30; requests += 1) assert.equal(await ask('silence'), 401);
  // All three would have been asked 90 times.
  assert.ok(countAsked(gateway) < 45, `${countAsked(gateway)} inquiries`);
  const changes = gateway.lines.filter(({ event }) => event === 'authentication.providerSuspended');
  assert.deepEqual(changes.map(({ provider }) => String(provider)).toSorted(), [
    'bundle one 1.0.0',
    'bundle three 1.0.0',
    'bundle two 1.0.0',
  ]);

  while ((await ask('machine')) !== 200) await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal((await gateway.line('authentication.providerResumed'))['level'], 'info');
  const states = (await list()).map(({ providers }) => providers?.[0]?.state);
  assert.ok(states.includes('ANSWERING'), states.join());
});
