import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import { AssetAccess } from '../../../../../daemon/plant/access/asset-access.ts';
import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { systemClock } from '../../../../../daemon/base/clock.ts';
import { createAssetStatusRoutes } from '../../../../../daemon/server/rest/plant/asset-status-routes.ts';
import { createAssetRoutes } from '../../../../../daemon/server/rest/plant/asset-routes.ts';
import { createListenRoutes } from '../../../../../daemon/server/rest/plant/listen-routes.ts';
import { createRecordRenderer } from '../../../../../daemon/server/rest/plant/record-json.ts';
import type { Identity } from '../../../../../daemon/security/identity/identity.ts';
import { EventParser } from '../../../../support/event-stream-client.ts';
import type { ReceivedEvent } from '../../../../support/event-stream-client.ts';
import { createLastWrites } from '../../../../support/last-writes.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import { createContext } from '../../http/request-fixture.ts';
import { openApplication, toIdentity } from '../../http/application-fixture.ts';
import type { ListenedRecord } from '../../../../../daemon/interface/plant/listening.ts';

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
  const plant = finish(
    checkPlant([factory], {
      drivers: [{ pid: 'line', type: 'scripted', line: '1' }],
      assets: [
        {
          pid: 'pump',
          driver: 'line',
          channels: [{ name: 'total', type: 'READ', valueType: 'LONG', unit: 'l', address: {} }],
        },
        {
          pid: 'tank',
          driver: 'line',
          channels: [{ name: 'level', type: 'READ', valueType: 'INTEGER', address: {} }],
        },
      ],
    }),
  );
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  t.after(() => registry.stop());
  const [driver] = factory.made.get('1') ?? [];
  assert.ok(driver !== undefined);
  driver.values.set('total', 9007199254740993n);
  driver.values.set('level', 7);
  const renderRecords = createRecordRenderer();
  const access = new AssetAccess({ registry, identities: { find: toIdentity }, clock: systemClock });
  const application = await openApplication(t, [
    ...createListenRoutes(access, renderRecords),
    ...createAssetStatusRoutes({ access, registry, clock: systemClock }),
    ...createAssetRoutes({
      access,
      rest: () => ({ recordDetails: true }),
      renderRecords,
      writeDeadlineMs: () => 60_000,
      clock: systemClock,
    }),
  ]);
  return { ...application, driver, registry, plant: plant.value };
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
  const route = createListenRoutes(access, createRecordRenderer()).find(({ path }) => path !== JOINED);
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
      sent.push(`${type}: ${data?.toString() ?? ''}`);
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

const JOINED = '/services/assets/_listen';

/** Opens a stream of several assets. */
function listenJoined(t: TestContext, port: number, query: string, lastEventId?: string): StreamReader {
  const headers = { ...HEADERS, ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }) };
  const outgoing = get({ port, host: '127.0.0.1', path: `${JOINED}${query}`, agent: false, headers });
  t.after(() => outgoing.destroy());
  const parser = new EventParser();
  const events: ReceivedEvent[] = [];
  let wake = Promise.withResolvers<void>();
  outgoing.on('response', (answer) => {
    answer.setEncoding('utf8').on('error', () => undefined);
    answer.on('data', (text: string) => {
      events.push(...parser.feed(text));
      wake.resolve();
      wake = Promise.withResolvers();
    });
  });
  return {
    events,
    async until(fits) {
      for (;;) {
        const found = events.find(fits);
        if (found !== undefined) return found;
        await wake.promise;
      }
    },
    close: () => outgoing.destroy(),
  };
}

interface StreamReader {
  readonly events: readonly ReceivedEvent[];
  readonly until: (fits: (event: ReceivedEvent) => boolean) => Promise<ReceivedEvent>;
  readonly close: () => void;
}

const assetsOf = ({ data }: ReceivedEvent): readonly (string | undefined)[] =>
  Array.isArray(data) ? (data as readonly ListenedRecord[]).map(({ asset }) => asset) : [];
const isOf = (type: string, pid: string) => (event: ReceivedEvent) =>
  event.type === type && assetsOf(event).includes(pid);

test('one stream sends several assets, and each record names its own', async (t) => {
  const { port, driver } = await openBench(t);
  driver.values.set('total', 5n);
  const stream = listenJoined(t, port, '?assets=tank,pump&channels=pump/total&minimumIntervalMs=100');
  const pump = await stream.until(isOf('snapshot', 'pump'));
  const tank = await stream.until(isOf('snapshot', 'tank'));
  const valuesOf = ({ data }: ReceivedEvent): readonly unknown[] =>
    (data as readonly ListenedRecord[]).map(({ asset, name, value }) => [asset, name, value]);
  assert.deepEqual(valuesOf(pump), [['pump', 'total', 5]]);
  assert.deepEqual(valuesOf(tank), [['tank', 'level', 7]]);
  driver.values.set('level', 8);
  assert.deepEqual(valuesOf(await stream.until(isOf('change', 'tank'))), [['tank', 'level', 8]]);
  assert.equal(stream.events.length, 3);
});

test('one id resumes every asset of a stream', async (t) => {
  const { port, driver } = await openBench(t);
  const query = '?assets=pump,tank&minimumIntervalMs=100';
  const first = listenJoined(t, port, query);
  await Promise.all([first.until(isOf('snapshot', 'pump')), first.until(isOf('snapshot', 'tank'))]);
  const lastEventId = first.events.at(-1)?.id;
  first.close();
  driver.values.set('total', 1n);
  const second = listenJoined(t, port, query, lastEventId);
  const change = await second.until(isOf('change', 'pump'));
  second.close();
  // Nothing of the tank was sent meanwhile, and yet the id holds its position.
  driver.values.set('level', 9);
  const third = listenJoined(t, port, query, change.id);
  await third.until(isOf('change', 'tank'));
  const types = [...second.events, ...third.events].map(({ type }) => type);
  assert.deepEqual([...new Set(types)], ['change']);
});

test('a stream of other assets does not resume, and says so for each', async (t) => {
  const { port } = await openBench(t);
  const first = listenJoined(t, port, '?assets=pump');
  const { id } = await first.until(isOf('snapshot', 'pump'));
  first.close();
  const second = listenJoined(t, port, '?assets=tank,pump', `${id}.${id}`);
  await second.until(isOf('snapshot', 'tank'));
  const gaps = second.events.filter(({ type }) => type === 'gap').map(({ data }) => data);
  assert.deepEqual(gaps, [{ asset: 'tank', reason: 'ID_UNKNOWN' }]);
});

test('a removed asset ends its part with the reason, and the last one the stream', async (t) => {
  const { port, registry, plant } = await openBench(t);
  const stream = listenJoined(t, port, '?assets=pump,tank');
  await Promise.all([stream.until(isOf('snapshot', 'pump')), stream.until(isOf('snapshot', 'tank'))]);
  await registry.apply({ ...plant, assets: plant.assets.filter(({ pid }) => pid === 'tank') });
  await stream.until(({ type }) => type === 'gap');
  await registry.apply({ drivers: [], assets: [] });
  await stream.until(({ type }) => type === 'end');
  assert.deepEqual(
    stream.events
      .filter(({ type }) => type === 'gap' || type === 'end')
      .map(({ type, data }) => [type, data]),
    [
      ['gap', { asset: 'pump', reason: 'ASSET_REMOVED' }],
      ['gap', { asset: 'tank', reason: 'ASSET_REMOVED' }],
      ['end', { reason: 'ASSET_REMOVED' }],
    ],
  );
});

test('an unknown asset among several is answered with 404, and a query without any with 400', async (t) => {
  const { send } = await openBench(t);
  const statusOf = async (query: string): Promise<number> =>
    (await send('GET', `${JOINED}${query}`, { headers: HEADERS })).status;
  assert.equal(await statusOf('?assets=pump,nobody'), 404);
  assert.equal(await statusOf(''), 400);
});

test('the part of an asset ends at the moment at which its grant does, the others go on', async (t) => {
  const { registry } = await openBench(t);
  const clock = new ManualClock();
  const grants = [
    { assets: ['pump'], operations: ['READ'], until: '2023-11-14T22:13:25Z' },
    { assets: ['tank'], operations: ['READ'] },
  ] as const;
  const identity: Identity = { ...toIdentity('nobody'), permissions: [], grants };
  const known = new Map([['nobody', identity]]);
  const access = new AssetAccess({ registry, identities: { find: (name) => known.get(name) }, clock });
  const route = createListenRoutes(access, createRecordRenderer()).find(({ path }) => path === JOINED);
  const context = createContext({}, { principal: { identity, method: 'certificate' } });
  context.request.url = `${JOINED}?assets=pump,tank`;
  const answer = await route?.handle(context);
  const sent: string[] = [];
  let snapshots = 0;
  const begun = Promise.withResolvers<void>();
  const flow = answer?.events?.({
    isFull: false,
    send: ({ type, data }) => {
      if (type === 'snapshot') snapshots += 1;
      else sent.push(`${type}: ${data?.toString() ?? ''}`);
      if (snapshots === 2) begun.resolve();
    },
    end: (reason) => sent.push(`end: ${reason}`),
  });
  t.after(() => flow?.stop());
  await begun.promise;
  clock.advance(5000);
  assert.deepEqual(sent, ['gap: {"asset":"pump","reason":"NOT_PERMITTED"}']);
  assert.throws(() => route?.handle(context), { code: 'ASSET_NOT_GRANTED' });
  known.clear();
  flow?.check?.();
  assert.deepEqual(sent.slice(1), ['end: NOT_AUTHENTICATED']);
});
