import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createOpcuaChannel } from '../../../support/opcua-driver-under-test.ts';
import { shareOpcuaServer } from '../../../support/shared-opcua-server.ts';

const LINGER_MS = 1000;
const RETURN_MS = 10_000;
const int16 = createOpcuaChannel('writable.int16', 'INTEGER');
const int32 = createOpcuaChannel('writable.int32', 'INTEGER', { queueSize: 10, samplingIntervalMs: 0 });
const int64 = createOpcuaChannel('int64', 'LONG');
const { server, lay } = await shareOpcuaServer();

test('a subscriber that returns gets every value since, in order, and the items stay', async (t) => {
  const { follow, cut, connect, write } = await lay(t, int32);
  const former = await follow([int32]);
  await write(1);
  await former.until(1);
  await cut();
  await former.ended;
  await write(2);
  await connect();
  await server.countRequests();
  const latter = await follow([int32]);
  await latter.until(2);
  await write(3);
  await latter.until(3);
  assert.deepEqual(latter.values(), [1, 2, 3]);
  const { CreateSubscriptionRequest: subscriptions, CreateMonitoredItemsRequest: items } =
    await server.countRequests();
  assert.deepEqual([subscriptions, items], [undefined, undefined]);
});

test('the items of a subscriber that does not return are deleted', async (t) => {
  const { follow, cut, connect, read, clock } = await lay(t, int32);
  const one = await follow([int32]);
  const other = await follow([int64, int16]);
  await cut();
  await Promise.all([one.ended, other.ended]);
  await connect();
  await follow([int32]);
  assert.equal(await server.countItems(), 3);
  clock.advance(RETURN_MS);
  // The server takes requests in their order, so that the deletion comes before this read.
  await read();
  assert.deepEqual([await server.countSubscriptions(), await server.countItems()], [1, 1]);
});

test('a subscription without a returning subscriber is deleted', async (t) => {
  const { follow, cut, connect, read, clock } = await lay(t, int32);
  const subject = await follow([int32]);
  await cut();
  await subject.ended;
  await connect();
  assert.equal(await server.countSubscriptions(), 1);
  clock.advance(RETURN_MS + LINGER_MS);
  await read();
  assert.equal(await server.countSubscriptions(), 0);
});

test('the items of a subscriber that leaves while the connection is cut are deleted later', async (t) => {
  const { follow, cut, connect, read, clock } = await lay(t, int32);
  const one = await follow([int32]);
  const other = await follow([int64]);
  await cut();
  await Promise.all([one.ended, other.ended]);
  other.stop();
  await connect();
  await follow([int32]);
  assert.equal(await server.countItems(), 2);
  clock.advance(RETURN_MS);
  await read();
  assert.deepEqual([await server.countSubscriptions(), await server.countItems()], [1, 1]);
});

test('a node that the server did not have is requested again when the subscriber returns', async (t) => {
  const { follow, cut, connect } = await lay(t, int32);
  const missing = createOpcuaChannel('nothing', 'DOUBLE');
  const former = await follow([int32, missing]);
  await cut();
  await former.ended;
  await connect();
  const latter = await follow([int32, missing]);
  assert.deepEqual(latter.values(1), ['OPCUA_BAD_NODE_ID_UNKNOWN']);
  assert.equal(await server.countItems(), 1);
});

test('a session that the server no longer has leaves no subscription, and the subscriber gets another one', async (t) => {
  const { follow, cut, connect, write } = await lay(t, int32);
  const former = await follow([int32]);
  await cut();
  await former.ended;
  await write(7);
  await server.closeSessions();
  await connect();
  const latter = await follow([int32]);
  assert.deepEqual(latter.values(), [7]);
  assert.equal(await server.countSubscriptions(), 1);
});

test('a subscription whose creation got no usable answer is deleted once it sends a message', async (t) => {
  const { follow, read } = await lay(t, int32);
  await server.hideCreations('CreateSubscription');
  await assert.rejects(follow([int32]));
  assert.equal(await server.countSubscriptions(), 1);
  const isDeleted = async (): Promise<boolean> =>
    (await server.countRequests())['DeleteSubscriptionsRequest'] !== undefined;
  while (!(await isDeleted()));
  await read();
  assert.equal(await server.countSubscriptions(), 0);
});

test('a subscription whose deletion was not confirmed is deleted again when it sends a message', async (t) => {
  const { follow, read, write, clock } = await lay(t, int32);
  const subject = await follow([int32]);
  await server.refuseDeletion('DeleteSubscriptions');
  subject.stop();
  clock.advance(LINGER_MS);
  await read();
  assert.equal(await server.countSubscriptions(), 1);
  await server.countRequests();
  await write(5);
  const isDeleted = async (): Promise<boolean> =>
    (await server.countRequests())['DeleteSubscriptionsRequest'] !== undefined;
  while (!(await isDeleted()));
  await read();
  assert.equal(await server.countSubscriptions(), 0);
});

test('items whose creation got no usable answer are deleted from a subscription that others use', async (t) => {
  const { follow, read, write } = await lay(t, int32);
  const subject = await follow([int32]);
  await server.hideCreations('CreateMonitoredItems');
  await assert.rejects(follow([int64, int16]));
  await read();
  const isDeleted = async (): Promise<boolean> =>
    (await server.countRequests())['DeleteMonitoredItemsRequest'] !== undefined;
  while (!(await isDeleted()));
  await read();
  assert.deepEqual([await server.countSubscriptions(), await server.countItems()], [1, 1]);
  await write(4);
  await subject.until(4);
});
