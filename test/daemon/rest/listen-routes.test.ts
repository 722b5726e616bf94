import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../daemon/base/random.ts';
import { AssetAccess } from '../../../daemon/access/asset-access.ts';
import { AssetRegistry } from '../../../daemon/asset/asset-registry.ts';
import { checkPlant } from '../../../daemon/asset/plant-config.ts';
import { systemClock } from '../../../daemon/base/clock.ts';
import { createAssetRoutes } from '../../../daemon/rest/asset-routes.ts';
import { createListenRoutes } from '../../../daemon/rest/listen-routes.ts';
import { createRecordRenderer } from '../../../daemon/rest/record-json.ts';
import type { Identity } from '../../../daemon/identity/identity.ts';
import { EventParser } from '../../support/event-stream-client.ts';
import type { ReceivedEvent } from '../../support/event-stream-client.ts';
import { createLastWrites } from '../../support/last-writes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createScriptedFactory } from '../../support/scripted-driver.ts';
import { createContext } from '../http/request-fixture.ts';
import { openApplication, toIdentity } from '../http/application-fixture.ts';

const HEADERS = { Authorization: 'assets' };

async function openBench(t: TestContext) {
  const factory = createScriptedFactory();
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger: createMemoryLogger(),
    clock: systemClock,
    lastWrites: createLastWrites(systemClock),
    random: systemRandom,
  });
  const plant = checkPlant([factory], {
    drivers: [{ pid: 'line', type: 'scripted', line: '1' }],
    assets: [
      {
        pid: 'pump',
        driver: 'line',
        channels: [{ name: 'total', type: 'READ', valueType: 'LONG', unit: 'l', address: {} }],
      },
    ],
  });
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  t.after(() => registry.stop());
  const [driver] = factory.made.get('1') ?? [];
  assert.ok(driver !== undefined);
  driver.values.set('total', 9007199254740993n);
  const renderRecords = createRecordRenderer();
  const access = new AssetAccess({ registry, identities: { find: toIdentity }, clock: systemClock });
  const application = await openApplication(t, [
    ...createAssetRoutes({ access, registry, renderRecords }),
    ...createListenRoutes(access, renderRecords),
  ]);
  return { ...application, driver, registry };
}

/** Returns the first events of a stream. */
async function listen(
  t: TestContext,
  port: number,
  query: string,
  count = 1,
): Promise<readonly ReceivedEvent[]> {
  const path = `/services/assets/pump/_listen${query}`;
  const request = get({ port, host: '127.0.0.1', path, agent: false, headers: HEADERS });
  t.after(() => request.destroy());
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.setEncoding('utf8').on('error', () => undefined);
  const parser = new EventParser();
  const events: ReceivedEvent[] = [];
  while (events.length < count) events.push(...parser.feed(((await once(answer, 'data')) as [string])[0]));
  return events;
}

test('an unknown asset is answered with 404, and an invalid query with 400', async (t) => {
  const { send } = await openBench(t);
  const statusOf = async (target: string): Promise<number> =>
    (await send('GET', `/services/assets${target}`, { headers: HEADERS })).status;
  assert.equal(await statusOf('/nobody/_listen'), 404);
  assert.equal(await statusOf('/pump/_listen?deadband=-1'), 400);
  assert.equal(await statusOf('/pump/_listen?minimumIntervalMs=1'), 400);
  assert.equal(await statusOf('/pump/_listen?colour=red'), 400);
});

test('the records of a stream equal those of a read', async (t) => {
  const { port, send } = await openBench(t);
  const [snapshot] = await listen(t, port, '?channels=total,nobody');
  const read = await send('POST', '/services/assets/pump/_read', {
    headers: HEADERS,
    body: { channels: ['total', 'nobody'] },
  });
  const withoutTime = (data: unknown): string => JSON.stringify(data).replaceAll(/"timestamp":\d+/g, '');
  assert.equal(withoutTime(snapshot?.data), withoutTime(read.json));
});

test('_status shows the number of listeners and how their channels are monitored', async (t) => {
  const { port, send } = await openBench(t);
  const listening = async (): Promise<unknown> => {
    const { json } = await send('GET', '/services/assets/pump/_status', { headers: HEADERS });
    return (json as { listening?: unknown }).listening;
  };
  assert.equal(await listening(), undefined);
  await Promise.all([listen(t, port, ''), listen(t, port, '?minimumIntervalMs=500')]);
  assert.deepEqual(await listening(), {
    mode: 'POLL',
    isActive: true,
    listeners: 2,
    channels: 1,
    intervalMs: 500,
  });
});

test('the removal of an asset ends its streams with the reason', async (t) => {
  const { port, registry } = await openBench(t);
  const events = listen(t, port, '', 2);
  while (registry.list()[0]?.subscriptionStatus()?.listeners !== 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await registry.get('pump').readAll();
  await registry.apply({ drivers: [], assets: [] });
  assert.deepEqual((await events).at(-1)?.data, { reason: 'ASSET_REMOVED' });
});

test('a stream ends at the moment at which the last grant for it ends', async (t) => {
  const { registry } = await openBench(t);
  const clock = new ManualClock();
  const grant = { assets: ['pump'], operations: ['READ'], until: '2023-11-14T22:13:25Z' } as const;
  const identity: Identity = { ...toIdentity('nobody'), permissions: [], grants: [grant] };
  const access = new AssetAccess({ registry, identities: { find: () => identity }, clock });
  const [route] = createListenRoutes(access, createRecordRenderer());
  const context = createContext(
    {},
    { parameters: { pid: 'pump' }, principal: { identity, method: 'certificate' } },
  );
  const answer = await route?.handle(context);
  const sent: (string | undefined)[] = [];
  const snapshot = Promise.withResolvers<void>();
  const flow = answer?.events?.({
    isFull: false,
    send: ({ type, data }) => {
      sent.push(`${type}: ${data}`);
      snapshot.resolve();
    },
    end: (reason) => sent.push(`end: ${reason}`),
  });
  t.after(() => flow?.stop());
  await snapshot.promise;
  clock.advance(4999);
  assert.equal(sent.length, 1);
  clock.advance(1);
  assert.deepEqual(sent.slice(1), ['end: NOT_PERMITTED']);
  assert.throws(() => route?.handle(context), { code: 'ASSET_NOT_GRANTED' });
});
