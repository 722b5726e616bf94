import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import {
  listInventory,
  listKuraBundles,
  listKuraPackages,
  listSystemPackages,
} from '../../daemon/interface/kura/inventory.ts';
import {
  filterFrameworkProperties,
  filterKuraProperties,
  readFrameworkProperties,
  readKuraProperties,
} from '../../daemon/interface/kura/system.ts';
import { readVersion } from '../../daemon/base/version.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { uploadPackage } from '../support/package-upload.ts';

const PASSWORD = 'a-word-of-the-boss-1';
const PAUSE_MS = 50;
const NAME = 'org.example.idle';

async function openBench(t: TestContext): Promise<SessionClient> {
  const gateway = await startGateway(t, {
    config: {
      provision: {
        identities: [
          {
            name: 'chief',
            permissions: ['rest.inventory', 'rest.system', 'rest.deploy'],
            password: PASSWORD,
          },
        ],
      },
    },
  });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('chief', PASSWORD);
  return client;
}

test('bundles, packages and Debian packages are listed as in inventory/v1 of Kura, and bundles stop and start', async (t) => {
  const client = await openBench(t);
  const bundle = { symbolicName: NAME, version: '1.2.3', main: 'export function activate() {}' };
  const file = buildPackage({ symbolicName: 'org.example.pack', version: '2.0.0', bundles: [bundle] });
  const installed = await uploadPackage(client, file);
  assert.equal(installed.state, 'COMPLETED', installed.message);
  const list = async (place: string) => client.send('GET', `/services/inventory/v1/${place}`);
  const listed = async () => answerOf(listKuraBundles, await list('bundles')).bundles;
  const awaitState = async (wanted: string): Promise<void> => {
    while ((await listed())[0]?.state !== wanted) await wait(PAUSE_MS);
  };
  await awaitState('ACTIVE');
  const active = { name: NAME, version: '1.2.3', id: 1, state: 'ACTIVE', signed: false };
  assert.deepEqual(await listed(), [active]);
  assert.deepEqual(answerOf(listKuraPackages, await list('deploymentPackages')), {
    deploymentPackages: [{ name: 'org.example.pack', version: '2.0.0', bundles: [active], signed: false }],
  });
  const { systemPackages } = answerOf(listSystemPackages, await list('systemPackages'));
  assert.ok(systemPackages.some(({ name, type }) => name === 'dpkg' && type === 'DEB'));
  const { inventory } = answerOf(listInventory, await list('inventory'));
  assert.equal(inventory.length, systemPackages.length + 2);
  const names = inventory.map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
  assert.ok(inventory.some(({ name, type }) => name === 'org.example.pack' && type === 'DP'));
  assert.ok(inventory.some(({ name, type }) => name === NAME && type === 'BUNDLE'));

  const order = async (action: string, body: unknown) =>
    client.send('POST', `/services/inventory/v1/bundles/${action}`, { body });
  for (const [action, state] of [
    ['_stop', 'INSTALLED'],
    ['_stop', 'INSTALLED'],
    ['_start', 'ACTIVE'],
    ['_start', 'ACTIVE'],
  ] as const) {
    const answer = await order(action, { name: NAME });
    assert.deepEqual([answer.status, answer.text], [200, '']);
    await awaitState(state);
  }
  assert.equal((await order('_stop', { name: NAME, version: '9.9.9' })).status, 404);
  assert.equal((await order('_start', { name: 'org.example.other' })).status, 404);
  for (const body of [{}, { name: 7 }, [], 'text']) assert.equal((await order('_start', body)).status, 400);
});

test('properties of machine and product are shown and filtered as in system/v1 of Kura', async (t) => {
  const client = await openBench(t);
  const read = async (place: string) => client.send('GET', `/services/system/v1/properties/${place}`);
  const filter = async (place: string, body: unknown) =>
    client.send('POST', `/services/system/v1/properties/${place}/filter`, { body });
  const framework = answerOf(readFrameworkProperties, await read('framework'));
  assert.equal(framework['deviceName'], hostname());
  assert.ok(Number(framework['numberOfProcessors']) >= 1);
  assert.ok(Number(framework['totalMemory']) > Number(framework['freeMemory']));
  assert.deepEqual([framework['javaVersion'], framework['kuraHaveNetAdmin']], ['N/A', false]);
  const some = await filter('framework', { names: ['osName', 'nothing', 'fileSeparator'] });
  assert.deepEqual(answerOf(filterFrameworkProperties, some), { osName: 'Linux', fileSeparator: '/' });
  assert.deepEqual(answerOf(filterFrameworkProperties, await filter('framework', {})), {});
  const { kuraProperties } = answerOf(readKuraProperties, await read('kura'));
  assert.equal(kuraProperties['kura.version'], readVersion());
  assert.ok(Object.values(kuraProperties).every((value) => typeof value === 'string'));
  const one = await filter('kura', { names: ['os.name'] });
  assert.deepEqual(answerOf(filterKuraProperties, one), { kuraProperties: { 'os.name': 'Linux' } });
  assert.deepEqual((await read('extended')).json, {});
  assert.deepEqual((await filter('extended', { groupNames: ['a'] })).json, {});
  const wrong = await filter('kura', { names: 'os.name' });
  assert.deepEqual([wrong.status, Object.keys(failureOf(wrong))], [400, ['message']]);
});
