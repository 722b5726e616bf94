import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { NoSubscriptionCapacity } from '../../../daemon/channel/driver-errors.ts';
import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Reading, SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { writeValues } from '../../support/write-values.ts';

const ITEMS_PER_CALL = 40;
const BULK_NODES = 100;
const INTERVAL_MS = 50;

let server: OpcuaServer;
let driver: SubscribingDriver<OpcuaAddress>;
const directory = createTemporaryDirectory({ after });
const start = (): Promise<OpcuaServer> =>
  startOpcuaServer({
    directory: `${directory}/server`,
    bulkNodes: BULK_NODES,
    operationLimits: { maxMonitoredItemsPerCall: ITEMS_PER_CALL },
  });

before(async () => {
  server = await start();
});

beforeEach(async () => {
  driver = createOpcuaDriver(
    { endpointUrl: server.endpointUrl, requestTimeoutMs: 4000, keepAliveMs: 1000 },
    { dataDirectory: `${directory}/gateway` },
  );
  await driver.connect(new AbortController().signal, () => undefined);
});

afterEach(() => driver.disconnect());
after(() => server[Symbol.asyncDispose]());

test('each channel is reported once, then on each change; one that the server does not have is a failure', async () => {
  const subject = await subscribe(
    createOpcuaChannel('writable.int32', 'INTEGER'),
    createOpcuaChannel('int64', 'LONG'),
    createOpcuaChannel('nothing', 'DOUBLE'),
    createOpcuaChannel('far', 'DOUBLE', { nodeId: 'nsu=urn:elsewhere;s=x' }),
    createOpcuaChannel('bad', 'DOUBLE'),
  );
  await subject.until(() => subject.newest.size === 5);
  assert.equal(subject.newest.get(1)?.value, 9_007_199_254_740_993n);
  assert.deepEqual(
    [2, 3, 4].map((index) => subject.newest.get(index)?.failure?.code),
    ['OPCUA_BAD_NODE_ID_UNKNOWN', 'OPCUA_NAMESPACE_UNKNOWN', 'OPCUA_BAD_SENSOR_FAILURE'],
  );
  for (const value of [1, 2]) {
    await write('writable.int32', value);
    await subject.until(() => subject.newest.get(0)?.value === value);
  }
  subject.stop();
});

test('many items are asked for in as few calls as the server allows', async () => {
  await server.countRequests();
  const subject = await subscribe(
    ...Array.from({ length: BULK_NODES }, (_, index) => createOpcuaChannel(`bulk.${index}`, 'INTEGER')),
  );
  await subject.until(() => subject.newest.size === BULK_NODES);
  for (const [index, { value }] of subject.newest) assert.equal(value, index);
  const { CreateMonitoredItemsRequest: calls } = await server.countRequests();
  assert.equal(calls, Math.ceil(BULK_NODES / ITEMS_PER_CALL));
  subject.stop();
});

test('notifications that come while items are still being created are not lost', async (t) => {
  const slow = await startOpcuaServer({
    directory: `${directory}/slow`,
    bulkNodes: BULK_NODES,
    operationLimits: { maxMonitoredItemsPerCall: 1 },
  });
  t.after(() => slow[Symbol.asyncDispose]());
  await driver.disconnect();
  driver = createOpcuaDriver({ endpointUrl: slow.endpointUrl }, { dataDirectory: `${directory}/gateway` });
  await driver.connect(new AbortController().signal, () => undefined);
  // Its requests for reports wait at the server, and may bring those of any subscription.
  const other = await subscribe(createOpcuaChannel('int32', 'INTEGER'));
  await other.until(() => other.newest.size === 1);
  const subject = await subscribe(
    ...Array.from({ length: BULK_NODES }, (_, index) => createOpcuaChannel(`bulk.${index}`, 'INTEGER')),
  );
  await Promise.race([subject.until(() => subject.newest.size === BULK_NODES), subject.ended]);
  assert.deepEqual(subject.ends, []);
  subject.stop();
  other.stop();
});

test('four subscribers share one subscription, and each has its own channels', async () => {
  const subjects = [
    await subscribe(createOpcuaChannel('writable.int16', 'INTEGER')),
    await subscribe(createOpcuaChannel('writable.string', 'STRING')),
    await subscribe(createOpcuaChannel('writable.string', 'STRING'), createOpcuaChannel('int32', 'INTEGER')),
    await subscribe(createOpcuaChannel('writable.int16', 'INTEGER')),
  ];
  const [first, second, third] = subjects;
  assert.ok(first && second && third);
  await write('writable.int16', 11);
  await write('writable.string', 'x', 'STRING');
  await first.until(() => first.newest.get(0)?.value === 11);
  for (const subject of [second, third]) await subject.until(() => subject.newest.get(0)?.value === 'x');
  assert.equal(await server.countSubscriptions(), 1);
  assert.equal(await server.countItems(), 5);
  assert.equal(driver.counters()['subscriptions'], 1);
  first.stop();
  third.stop();
  await write('writable.string', 'y', 'STRING');
  await second.until(() => second.newest.get(0)?.value === 'y');
  assert.equal(third.newest.get(0)?.value, 'x');
  while ((await server.countItems()) > 2) await wait(10);
  for (const subject of subjects) subject.stop();
  await untilNoneIsLeft();
});

test('a subscriber that wants other channels goes on with the subscription, whose interval goes on', async () => {
  let subject = await subscribe(createOpcuaChannel('writable.int32', 'INTEGER'));
  await subject.until(() => subject.newest.size === 1);
  for (let round = 0; round < 3; round += 1) {
    subject.stop();
    subject = await subscribe(
      createOpcuaChannel('writable.int32', 'INTEGER'),
      createOpcuaChannel('int64', 'LONG'),
    );
  }
  const last = subject;
  await last.until(() => last.newest.size === 2);
  await write('writable.int32', 77);
  await last.until(() => last.newest.get(0)?.value === 77);
  assert.equal(driver.counters()['subscriptions'], 1);
  assert.deepEqual([await server.countSubscriptions(), await server.countItems()], [1, 2]);
  last.stop();
  await untilNoneIsLeft();
});

test('subscribers that begin together share one subscription as well, and one that leaves at once has no item', async () => {
  const ending = new AbortController();
  const left = driver.subscribe({
    channels: [createOpcuaChannel('int64', 'LONG')],
    minimumIntervalMs: INTERVAL_MS,
    signal: ending.signal,
    onReading: () => undefined,
    onEnd: () => undefined,
  });
  const others = [
    subscribe(createOpcuaChannel('int32', 'INTEGER')),
    subscribe(createOpcuaChannel('string', 'STRING')),
  ];
  ending.abort();
  const [, ...subjects] = await Promise.all([left, ...others]);
  for (const subject of subjects) await subject.until(() => subject.newest.size === 1);
  assert.deepEqual([await server.countSubscriptions(), await server.countItems()], [1, 2]);
  for (const subject of subjects) subject.stop();
});

test('a server without capacity for a subscription, or for its items, refuses it as such', async (t) => {
  const small = await startOpcuaServer({
    directory: `${directory}/small`,
    maxSubscriptionsPerSession: 1,
    maxMonitoredItemsPerSubscription: 2,
  });
  t.after(() => small[Symbol.asyncDispose]());
  await driver.disconnect();
  const logger = createMemoryLogger();
  driver = createOpcuaDriver(
    { endpointUrl: small.endpointUrl },
    { dataDirectory: `${directory}/gateway`, logger },
  );
  await driver.connect(new AbortController().signal, () => undefined);
  const subject = await subscribe(createOpcuaChannel('int32', 'INTEGER'));
  const refuse = (channels: readonly Channel<OpcuaAddress>[], minimumIntervalMs: number): Promise<unknown> =>
    driver
      .subscribe({
        channels,
        minimumIntervalMs,
        signal: new AbortController().signal,
        onReading: () => undefined,
        onEnd: () => assert.fail('it had not begun'),
      })
      .catch((error: unknown) => error);
  const twoMore = [createOpcuaChannel('int64', 'LONG'), createOpcuaChannel('string', 'STRING')];
  const ofItems = await refuse(twoMore, INTERVAL_MS);
  await small.refuseModifications('ModifySubscription');
  const errors = [ofItems, await refuse(twoMore, INTERVAL_MS - 1)];
  for (const error of errors) assert.ok(error instanceof NoSubscriptionCapacity);
  assert.deepEqual(
    errors.map((error) => (error as NoSubscriptionCapacity).code),
    ['OPCUA_BAD_TOO_MANY_MONITORED_ITEMS', 'OPCUA_BAD_TOO_MANY_SUBSCRIPTIONS'],
  );
  assert.equal(logger.lines.filter((line) => line.event === 'opcua.subscriptionRefused').length, 2);
  // Those that were there go on, and no item of a refused one is left.
  await subject.until(() => subject.newest.size === 1);
  await driver.prepareRead(twoMore).read(new AbortController().signal);
  assert.deepEqual([await small.countSubscriptions(), await small.countItems()], [1, 1]);
  subject.stop();
});

test('the signal deletes the subscription on the server, and nothing is reported after it', async () => {
  const subject = await subscribe(createOpcuaChannel('writable.int32', 'INTEGER'));
  await subject.until(() => subject.newest.size === 1);
  subject.stop();
  const seen = subject.count();
  await write('writable.int32', 4321);
  await untilNoneIsLeft();
  assert.equal(subject.count(), seen);
  assert.deepEqual(subject.ends, []);
});

test('a subscription that follows the end of another at once stands', async () => {
  for (let round = 0; round < 10; round += 1) {
    const former = await subscribe(createOpcuaChannel('writable.int32', 'INTEGER'));
    former.stop();
    const latter = await subscribe(createOpcuaChannel('writable.int32', 'INTEGER'));
    await write('writable.int32', 100 + round);
    await latter.until(() => latter.newest.get(0)?.value === 100 + round);
    assert.deepEqual(latter.ends, []);
    latter.stop();
  }
});

test('a signal that has aborted creates no subscription', async () => {
  await driver.subscribe({
    channels: [createOpcuaChannel('int32', 'INTEGER')],
    minimumIntervalMs: INTERVAL_MS,
    signal: AbortSignal.abort(),
    onReading: () => assert.fail('nobody asked for a reading'),
    onEnd: () => assert.fail('there was nothing to end'),
  });
  assert.equal(await server.countSubscriptions(), 0);
});

test('a subscription that the server deletes ends once', async () => {
  const subject = await subscribe(createOpcuaChannel('int32', 'INTEGER'));
  await subject.until(() => subject.newest.size === 1);
  await server.endSubscriptions();
  assert.equal((await subject.ended).code, 'OPCUA_SUBSCRIPTION_LOST');
  await driver.disconnect();
  assert.equal(subject.ends.length, 1);
});

test('a session that the server closes ends its subscriptions once', async () => {
  const subjects = [
    await subscribe(createOpcuaChannel('int32', 'INTEGER')),
    await subscribe(createOpcuaChannel('string', 'STRING')),
  ];
  for (const subject of subjects) await subject.until(() => subject.newest.size === 1);
  await server.closeSessions();
  for (const { ended } of subjects) assert.equal((await ended).code, 'OPCUA_LINK_LOST');
  await driver.disconnect();
  for (const { ends } of subjects) assert.equal(ends.length, 1);
});

test('a server that is frozen ends a subscription once, and so does one that is killed', async () => {
  const frozen = await subscribe(createOpcuaChannel('int32', 'INTEGER'));
  await frozen.until(() => frozen.newest.size === 1);
  server.hold();
  assert.equal((await frozen.ended).code, 'OPCUA_LINK_LOST');
  await driver.disconnect();
  server.goOn();
  await driver.connect(new AbortController().signal, () => undefined);
  const killed = await subscribe(createOpcuaChannel('int32', 'INTEGER'));
  await killed.until(() => killed.newest.size === 1);
  await server.kill();
  assert.equal((await killed.ended).code, 'OPCUA_LINK_LOST');
  server = await start();
  assert.deepEqual([frozen.ends.length, killed.ends.length], [1, 1]);
});

async function untilNoneIsLeft(): Promise<void> {
  while ((await server.countSubscriptions()) > 0) await wait(10);
}

interface Subject {
  readonly newest: ReadonlyMap<number, Reading>;
  readonly ends: readonly ConnectionError[];
  readonly ended: Promise<ConnectionError>;
  /** How often something was reported. */
  count(): number;
  stop(): void;
  /** Resolves as soon as the condition holds; it is looked at after each reading. */
  until(condition: () => boolean): Promise<void>;
}

async function subscribe(...channels: readonly Channel<OpcuaAddress>[]): Promise<Subject> {
  const newest = new Map<number, Reading>();
  const ends: ConnectionError[] = [];
  const ending = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<ConnectionError>();
  let count = 0;
  let wake: () => void = () => undefined;
  await driver.subscribe({
    channels,
    minimumIntervalMs: INTERVAL_MS,
    signal: ending.signal,
    onReading(index, reading) {
      count += 1;
      newest.set(index, reading);
      wake();
    },
    onEnd(error) {
      ends.push(error);
      end(error);
    },
  });
  return {
    newest,
    ends,
    ended,
    count: () => count,
    stop: () => ending.abort(),
    async until(condition) {
      while (!condition()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}

async function write(
  name: string,
  value: ChannelValue,
  valueType: 'INTEGER' | 'STRING' = 'INTEGER',
): Promise<void> {
  const channel = createOpcuaChannel(name, valueType);
  const [outcome] = await writeValues(driver, [{ channel, value }], new AbortController().signal);
  assert.equal(outcome?.failure, undefined);
}
