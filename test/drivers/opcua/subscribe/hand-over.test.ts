import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { SubscribingDriver } from '../../../../daemon/channel/driver.ts';
import { Asset } from '../../../../daemon/plant/asset/asset.ts';
import { DriverConnection } from '../../../../daemon/plant/asset/connection/driver-connection.ts';
import { LINGER_MS as DEMAND_LINGER_MS } from '../../../../daemon/plant/asset/read/subscription-demand.ts';
import type { OpcuaAddress } from '../../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createOpcuaChannel } from '../../../support/opcua-driver-under-test.ts';
import { connectOverCable, connectWriter, createWait } from '../../../support/opcua-on-cable.ts';
import type { CabledDriver } from '../../../support/opcua-on-cable.ts';
import { startOpcuaServer } from '../../../support/opcua-server.ts';
import type { OpcuaServer, OpcuaServerOptions } from '../../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';

const LINGER_MS = 1000;
// Long enough for several values, and for changes of the audience between them.
const INTERVAL_MS = 250;
const queue = { queueSize: 20, samplingIntervalMs: 0 };
const trend = createOpcuaChannel('exact', 'INTEGER', queue);
const int16 = createOpcuaChannel('writable.int16', 'INTEGER');
const int64 = createOpcuaChannel('int64', 'LONG');
const directory = createTemporaryDirectory({ after });
let server: OpcuaServer;

// Each item is a request of its own, which the server counts.
const start = (options: Partial<OpcuaServerOptions> = {}): Promise<OpcuaServer> =>
  startOpcuaServer({
    directory: `${directory}/server`,
    operationLimits: { maxMonitoredItemsPerCall: 1 },
    ...options,
  });

before(async () => {
  server = await start();
});
beforeEach(() => server.reset());
after(() => server[Symbol.asyncDispose]());

test('values that the server has queued arrive when other listeners of the asset come and go', async (t) => {
  const { clock, driver, write } = await lay(t, server, { publishingIntervalMs: INTERVAL_MS });
  const asset = createAsset(driver, clock);
  const steady = asset.listen(['exact']);
  await steady.until(0);
  await write(1);
  const other = asset.listen(['writable.int16']);
  await write(2);
  await steady.until(2);
  await server.countRequests();
  await write(3);
  const third = asset.listen(['exact', 'writable.int16']);
  other.stop();
  clock.advance(DEMAND_LINGER_MS);
  await write(4);
  await steady.until(4);
  assert.deepEqual(steady.values, [0, 1, 2, 3, 4]);
  const { CreateMonitoredItemsRequest: created, CreateSubscriptionRequest: subscriptions } =
    await server.countRequests();
  assert.deepEqual([created, subscriptions], [undefined, undefined]);
  third.stop();
});

test('one more channel costs one item, one channel less deletes one', async (t) => {
  const { clock, follow, read } = await lay(t);
  const first = await follow([trend, int64]);
  await server.countRequests();
  first.stop();
  const second = await follow([int16, trend, int64]);
  assert.deepEqual(await countChanges(), { created: 1, deleted: 0 });
  second.stop();
  const third = await follow([trend, int16]);
  clock.advance(LINGER_MS);
  await read();
  assert.deepEqual(await countChanges(), { created: 0, deleted: 1 });
  assert.equal(await server.countItems(), 2);
  third.stop();
});

test('a subscriber of equal channels inherits the items, as after a change of the asset', async (t) => {
  const { follow, write } = await lay(t);
  const former = await follow([trend, int64]);
  await server.countRequests();
  await write(1);
  former.stop();
  await write(2);
  const latter = await follow([
    { ...int64, name: 'renamed' },
    createOpcuaChannel('exact', 'INTEGER', queue),
    createOpcuaChannel('exact', 'INTEGER'),
  ]);
  await write(3);
  await latter.until(3, 1);
  assert.deepEqual(latter.values(1), [0, 1, 2, 3]);
  assert.deepEqual(await countChanges(), { created: 1, deleted: 0 });
});

test('other channels after a cut connection cost no value of the same ones', async (t) => {
  const { follow, cut, connect, write, clock, read } = await lay(t);
  const former = await follow([trend, int64]);
  await write(1);
  await former.until(1);
  await cut();
  await former.ended;
  former.stop();
  await write(2);
  await connect();
  await write(3);
  await server.countRequests();
  const latter = await follow([int16, trend]);
  await latter.until(3, 1);
  assert.deepEqual(latter.values(1), [1, 2, 3]);
  assert.deepEqual(await countChanges(), { created: 1, deleted: 0 });
  clock.advance(10 * LINGER_MS);
  await read();
  assert.deepEqual([await server.countSubscriptions(), await server.countItems()], [1, 2]);
});

test('a subscriber that leaves before the server has created its items hands them over', async (t) => {
  const { follow, driver, read, clock, write } = await lay(t);
  const steady = await follow([int64]);
  await server.countRequests();
  server.hold();
  const ending = new AbortController();
  const left = driver.subscribe({ ...noSubscriber(), channels: [trend, int16], signal: ending.signal });
  await passTurns();
  ending.abort();
  const following = follow([int16, trend]);
  await passTurns();
  server.goOn();
  await left;
  const latter = await following;
  assert.deepEqual(await countChanges(), { created: 2, deleted: 0 });
  clock.advance(LINGER_MS);
  await read();
  assert.equal(await server.countItems(), 3);
  await write(8);
  await latter.until(8, 1);
  steady.stop();
});

test('an item whose deletion failed reports nothing, and is deleted when the next subscriber comes', async (t) => {
  const { follow, read, clock, write } = await lay(t);
  const first = await follow([int64, trend]);
  first.stop();
  const second = await follow([int64]);
  await server.refuseDeletion('DeleteMonitoredItems');
  clock.advance(LINGER_MS);
  await read();
  assert.equal(await server.countItems(), 2);
  const third = await follow([trend]);
  await write(5);
  await third.until(5);
  assert.deepEqual(third.values(0), [0, 5]);
  assert.equal(await server.countItems(), 2);
  second.stop();
});

test('items and subscriptions of who has left make room for others', async (t) => {
  await using small = await start({
    directory: `${directory}/small`,
    maxSubscriptionsPerSession: 1,
    maxMonitoredItemsPerSubscription: 2,
  });
  const { follow } = await lay(t, small);
  const first = await follow([trend, int16]);
  first.stop();
  const second = await follow([int64, createOpcuaChannel('int32', 'INTEGER')]);
  second.stop();
  await follow([trend, int64], 2 * INTERVAL_MS);
  assert.deepEqual([await small.countSubscriptions(), await small.countItems()], [1, 2]);
});

suite('with a server on asyncua that queues values', needs('asyncua'), () => {
  test('values that the server has queued arrive when the channels of a subscriber change', async (t) => {
    await using asyncua = await startAsyncuaServer();
    const { follow } = await lay(t, {
      endpointUrl: `opc.tcp://127.0.0.1:${asyncua.port}`,
      port: asyncua.port,
    });
    const [one, other] = [
      createOpcuaChannel('trend', 'INTEGER', queue),
      createOpcuaChannel('level', 'INTEGER'),
    ];
    const burst = (...values: readonly number[]): Promise<void> =>
      asyncua.burst(
        'trend',
        values.map((value) => [value, 0, 1000 * value]),
      );
    const first = await follow([one]);
    await burst(1, 2);
    first.stop();
    const second = await follow([other, one]);
    await burst(3, 4);
    second.stop();
    const third = await follow([one]);
    await burst(5, 6);
    await third.until(6);
    const received = [...first.values(0), ...second.values(1), ...third.values(0)];
    assert.deepEqual([...new Set(received)], [0, 1, 2, 3, 4, 5, 6]);
  });
});

async function countChanges(): Promise<{ readonly created: number; readonly deleted: number }> {
  const counts = await server.countRequests();
  const { CreateMonitoredItemsRequest: created = 0, DeleteMonitoredItemsRequest: deleted = 0 } = counts;
  return { created, deleted };
}

interface Laid extends Omit<CabledDriver, 'read'> {
  readonly clock: ManualClock;
  readonly read: () => Promise<unknown>;
  /** Writes `trend` over another connection. */
  readonly write: (value: number) => Promise<void>;
}

async function lay(
  t: TestContext,
  { endpointUrl, port }: Pick<OpcuaServer, 'endpointUrl' | 'port'> = server,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Laid> {
  const dataDirectory = `${directory}/gateway`;
  const clock = new ManualClock(Date.now());
  const options = { port, dataDirectory, clock, intervalMs: INTERVAL_MS, config };
  const cabled = await connectOverCable(t, options);
  const write = await connectWriter(t, endpointUrl, dataDirectory);
  return { ...cabled, clock, read: () => cabled.read(int16), write: (value) => write(trend, value) };
}

/** Creates an asset of the driver, whose listeners record the values of the first of their channels. */
function createAsset(driver: SubscribingDriver<OpcuaAddress>, clock: ManualClock) {
  const connection = new DriverConnection({
    driver,
    endpoint: 'the server',
    callDeadlineMs: 60_000,
    onStateChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    random: () => 0.5,
  });
  const config = { scaleOnWrite: true, pid: 'tank', driver: 'server', channels: [trend, int16, int64] };
  const asset = new Asset(config, connection, {
    clock,
    findSource: () => undefined,
    lastWrites: createLastWrites(clock),
  });
  return {
    listen(names: readonly string[]) {
      const values: unknown[] = [];
      const waiting = createWait();
      const control = asset.listen({
        names,
        deadbandOf: () => 0,
        // The feed does not wait for the clock.
        minimumIntervalMs: 0,
        output: {
          isFull: false,
          send(event) {
            if (event.type === 'gap') return;
            for (const { name, value } of event.records) if (name === names[0]) values.push(value);
            waiting.note();
          },
          end: (reason) => assert.fail(reason),
        },
      });
      const look = async (value: number): Promise<void> => {
        await waiting.until(() => values.includes(value));
      };
      return { values, until: look, stop: () => control.stop() };
    },
  };
}

function noSubscriber() {
  return {
    minimumIntervalMs: INTERVAL_MS,
    onReading: () => assert.fail('it has left'),
    onEnd: () => assert.fail('it has left'),
  };
}

/** Sends what is to be sent. */
async function passTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
