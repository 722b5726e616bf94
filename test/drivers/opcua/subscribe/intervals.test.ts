import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createOpcuaChannel } from '../../../support/opcua-driver-under-test.ts';
import { connectOverCable } from '../../../support/opcua-on-cable.ts';
import type { Follower } from '../../../support/opcua-on-cable.ts';
import { shareOpcuaServer } from '../../../support/shared-opcua-server.ts';
import { needs } from '../../../support/tests-that-need.ts';

const LINGER_MS = 1000;
const FAST_MS = 50;
const SLOW_MS = 1000;
const trend = createOpcuaChannel('exact', 'INTEGER', { queueSize: 20, samplingIntervalMs: 0 });
const sampled = createOpcuaChannel('exact', 'INTEGER', { queueSize: 20 });
const int16 = createOpcuaChannel('writable.int16', 'INTEGER');
const int64 = createOpcuaChannel('int64', 'LONG');
const { server, dataDirectory, lay } = await shareOpcuaServer();

test('each value that is written while the interval changes arrives once, in order', async (t) => {
  const { follow, write } = await lay(t, trend);
  const followers: Follower[] = [];
  let value = 0;
  for (const intervalMs of [SLOW_MS, FAST_MS, SLOW_MS, 2 * SLOW_MS, 5 * FAST_MS, FAST_MS]) {
    followers.at(-1)?.stop();
    followers.push(await follow([trend], intervalMs));
    for (let count = 0; count < 3; count += 1) await write((value += 1));
  }
  await followers.at(-1)?.until(value);
  assert.deepEqual(join(followers), countTo(value));
});

test('the subscription and its items stay when the interval changes', async (t) => {
  const { follow, write } = await lay(t, trend);
  const slow = await follow([trend], SLOW_MS);
  slow.stop();
  const fast = await follow([trend], FAST_MS);
  await write(1);
  await fast.until(1);
  const { CreateSubscriptionRequest, CreateMonitoredItemsRequest, ModifySubscriptionRequest } =
    await server.countRequests();
  assert.deepEqual([CreateSubscriptionRequest, CreateMonitoredItemsRequest], [1, 1]);
  assert.equal(ModifySubscriptionRequest, 1);
  assert.deepEqual(await server.listTerms(), [
    { publishingIntervalMs: FAST_MS, items: [{ samplingIntervalMs: 0, queueSize: 20 }] },
  ]);
});

test('subscribers of different intervals share a subscription at the shortest, each with its own sampling', async (t) => {
  const { follow } = await lay(t, trend);
  await follow([int16], SLOW_MS);
  await follow([int16], FAST_MS);
  assert.deepEqual(await server.listTerms(), [
    {
      publishingIntervalMs: FAST_MS,
      items: [
        { samplingIntervalMs: SLOW_MS, queueSize: 1 },
        { samplingIntervalMs: FAST_MS, queueSize: 1 },
      ],
    },
  ]);
});

test('the interval of those that stay applies again, once the server has answered the Publish requests of the shorter', async (t) => {
  const { follow, write, clock, read } = await lay(t, trend);
  const steady = await follow([trend], SLOW_MS);
  const other = await follow([int64], FAST_MS);
  other.stop();
  clock.advance(LINGER_MS);
  await read();
  assert.equal((await server.listTerms())[0]?.publishingIntervalMs, FAST_MS);
  let value = 0;
  while ((await server.listTerms())[0]?.publishingIntervalMs !== SLOW_MS) {
    await write((value += 1));
    await steady.until(value);
  }
  await write((value += 1));
  await steady.until(value);
  assert.deepEqual(steady.values(), countTo(value));
});

test('a server at its shortest interval gets no other subscription for a shorter one', async (t) => {
  const { follow } = await lay(t, trend);
  await follow([int16], FAST_MS);
  await follow([int64], FAST_MS / 2);
  assert.equal(await server.countSubscriptions(), 1);
});

test('a channel without a sampling interval of its own is sampled at the new interval, and keeps its queue', async (t) => {
  const { follow, write } = await lay(t, trend);
  const slow = await follow([sampled], SLOW_MS);
  slow.stop();
  const fast = await follow([sampled], FAST_MS);
  const { CreateMonitoredItemsRequest: created } = await server.countRequests();
  assert.equal(created, 1);
  assert.deepEqual((await server.listTerms())[0]?.items, [{ samplingIntervalMs: FAST_MS, queueSize: 20 }]);
  await write(1);
  await fast.until(1);
});

test('a channel without a queue has its present value when the interval becomes shorter', async (t) => {
  const { follow, write } = await lay(t, trend);
  const single = createOpcuaChannel('exact', 'INTEGER', { samplingIntervalMs: 0 });
  const slow = await follow([single], SLOW_MS);
  await write(7);
  slow.stop();
  const fast = await follow([single], FAST_MS);
  assert.deepEqual(fast.values(), [7]);
});

test('another queue or sampling interval of a channel loses nothing that is queued', async (t) => {
  const { follow, write } = await lay(t, trend);
  const former = await follow([trend], SLOW_MS);
  await write(1);
  await write(2);
  former.stop();
  const latter = await follow(
    [createOpcuaChannel('exact', 'INTEGER', { queueSize: 30, samplingIntervalMs: 100 })],
    SLOW_MS,
  );
  await latter.until(2);
  assert.deepEqual(join([former, latter]), [0, 1, 2]);
  assert.deepEqual((await server.listTerms())[0]?.items, [{ samplingIntervalMs: 100, queueSize: 30 }]);
});

test('an item that the server does not change is created again', async (t) => {
  const { follow, write, read } = await lay(t, trend);
  await server.refuseModifications('ModifyMonitoredItems');
  const former = await follow([trend], FAST_MS);
  former.stop();
  const latter = await follow(
    [createOpcuaChannel('exact', 'INTEGER', { queueSize: 30, samplingIntervalMs: 0 })],
    FAST_MS,
  );
  await write(1);
  await latter.until(1);
  await read();
  assert.deepEqual((await server.listTerms())[0]?.items, [{ samplingIntervalMs: 0, queueSize: 30 }]);
});

for (const [what, refuse] of [
  ['does not change intervals', () => server.refuseModifications('ModifySubscription')],
  ['does not confirm a change', () => server.hideCreations('ModifySubscription')],
] as const) {
  test(`a server that ${what} gets a subscription for a shorter interval`, async (t) => {
    const { follow, write } = await lay(t, trend);
    await refuse();
    const slow = await follow([trend], SLOW_MS);
    const fast = await follow([trend], FAST_MS);
    assert.equal(await server.countSubscriptions(), 2);
    await write(1);
    await Promise.all([slow.until(1), fast.until(1)]);
    assert.deepEqual([slow.ends, fast.ends], [[], []]);
  });
}

test('a server that does not change intervals gets no other subscription for a longer one', async (t) => {
  const { follow, write } = await lay(t, trend);
  await server.refuseModifications('ModifySubscription');
  const fast = await follow([trend], FAST_MS);
  fast.stop();
  await write(1);
  const slow = await follow([trend], SLOW_MS);
  await write(2);
  await slow.until(2);
  assert.deepEqual(join([fast, slow]), [0, 1, 2]);
  assert.equal(await server.countSubscriptions(), 1);
});

suite(
  'with a server on asyncua, which accepts a change of the interval and ignores it',
  needs('asyncua'),
  () => {
    test('a shorter interval is one of another subscription', async (t) => {
      await using asyncua = await startAsyncuaServer();
      const { follow } = await connectOverCable(t, {
        port: asyncua.port,
        dataDirectory,
        intervalMs: SLOW_MS,
        clock: new ManualClock(Date.now()),
      });
      const channel = createOpcuaChannel('trend', 'INTEGER', { queueSize: 20, samplingIntervalMs: 0 });
      const slow = await follow([createOpcuaChannel('level', 'INTEGER')], SLOW_MS);
      const fast = await follow([channel], FAST_MS);
      assert.equal((await asyncua.count()).subscriptions, 2);
      await asyncua.burst('trend', [
        [1, 0, 1000],
        [2, 0, 2000],
      ]);
      await fast.until(2);
      assert.deepEqual(fast.values(), [0, 1, 2]);
      assert.deepEqual(slow.ends, []);
    });
  },
);

/** Returns what subscribers that followed each other received; each begins with the last value of the one before. */
function join(followers: readonly Follower[]): readonly unknown[] {
  return followers.flatMap((follower) => follower.values()).filter((value, at, all) => value !== all[at - 1]);
}

function countTo(last: number): readonly number[] {
  return Array.from({ length: last + 1 }, (_, value) => value);
}
