import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import type { Channel } from '../../../../daemon/channel/channel.ts';
import type { OpcuaAddress } from '../../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../../support/asyncua-server.ts';
import type { AsyncuaServer, AsyncuaTerms } from '../../../support/asyncua-server.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createOpcuaChannel } from '../../../support/opcua-driver-under-test.ts';
import { connectOverCable } from '../../../support/opcua-on-cable.ts';
import type { CabledDriver, Follower } from '../../../support/opcua-on-cable.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { needs } from '../../../support/tests-that-need.ts';

const INTERVAL_MS = 50;
const trend = createOpcuaChannel('trend', 'INTEGER', { queueSize: 100, samplingIntervalMs: 0 });
const level = createOpcuaChannel('level', 'INTEGER');
let server: AsyncuaServer;

suite('with a server on asyncua that stores messages', needs('asyncua'), () => {
  before(async () => {
    server = await startAsyncuaServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test('what changed while the connection was cut is reported after it, each value once and in order', async (t) => {
    const { follow, cut, connect } = await lay(t);
    const former = await follow();
    await change(1, 2);
    await former.until(2);
    await cut();
    assert.equal((await former.ended).code, 'OPCUA_LINK_LOST');
    await change(3);
    await change(4, 5);
    await connect();
    await change(6);
    const latter = await follow();
    await latter.until(6);
    // The last value that was known, then what changed since.
    assert.deepEqual(latter.values(), [2, 3, 4, 5, 6]);
    assert.deepEqual(await server.count(), { sessions: 1, subscriptions: 1, sessionsMade: 1 });
  });

  test('a message that the server sent into the void is fetched when the next one arrives', async (t) => {
    const { follow } = await lay(t, { republish: 'STANDARD' });
    const subject = await follow();
    await server.swallow(1);
    await change(1);
    await untilSwallowed(1);
    await change(2);
    await subject.until(2);
    assert.deepEqual(subject.values(), [0, 1, 2]);
  });

  test('changes that the server answers to requests of the former connection are not late', async (t) => {
    const { follow, cut, connect } = await lay(t);
    const former = await follow();
    await cut();
    await former.ended;
    await connect();
    const latter = await follow();
    // Like a server that still has the two requests of the former connection, and nothing is reported after this change.
    await server.swallow(2, 'ALL');
    await change(1);
    await latter.until(1);
    assert.deepEqual(latter.values(), [0, 1]);
  });

  for (const republish of ['STANDARD', 'UNSUPPORTED'] as const) {
    test(`messages that no longer exist cost no failure, and the present value is reported: ${republish}`, async (t) => {
      const { follow, logged } = await lay(t, { republish });
      const subject = await follow();
      await server.swallow(1);
      await change(1, 2);
      await untilSwallowed(1);
      await server.forget();
      await change(3);
      await subject.until(3);
      assert.deepEqual(subject.values(), [0, 3]);
      assert.deepEqual(subject.ends, []);
      assert.equal(logged('opcua.notificationsLost').length, 1);
      await change(4);
      await subject.until(4);
      assert.equal((await server.count()).subscriptions, 1);
    });
  }

  test('a server that loses messages again and again ends the subscription', async (t) => {
    const { follow } = await lay(t, { republish: 'UNSUPPORTED' });
    const subject = await follow();
    for (const round of [1, 2]) {
      await server.swallow(1);
      await change(10 * round);
      await untilSwallowed(round);
      await change(10 * round + 1);
      if (round === 1) await subject.until(11);
    }
    assert.equal((await subject.ended).code, 'OPCUA_NOTIFICATION_LOST');
  });

  test('a subscription that has expired on the server is created again, with the present value', async (t) => {
    const { follow, cut, connect, logged } = await lay(t);
    const former = await follow();
    await cut();
    await former.ended;
    await server.expire();
    await change(7);
    await connect();
    const latter = await follow();
    await latter.until(7);
    assert.equal(latter.values().at(-1), 7);
    assert.deepEqual(latter.ends, []);
    assert.equal((await server.count()).subscriptions, 1);
    assert.ok(logged('opcua.notificationsLost').length <= 1);
  });

  test('a server without Republish gets another subscription after a cut, with the present value', async (t) => {
    const { follow, cut, connect } = await lay(t, { republish: 'UNSUPPORTED' });
    const former = await follow();
    await cut();
    await former.ended;
    await change(1, 2);
    await connect();
    const latter = await follow();
    await latter.until(2);
    assert.deepEqual(latter.ends, []);
    await change(3);
    await latter.until(3);
    assert.equal((await server.count()).subscriptions, 1);
  });

  test('subscribers return one by one, each with what it missed', async (t) => {
    const { follow, cut, connect } = await lay(t);
    const first = await follow([trend]);
    const second = await follow([level, trend]);
    await cut();
    await Promise.all([first.ended, second.ended]);
    await change(1, 2);
    await connect();
    const firstAgain = await follow([trend]);
    await firstAgain.until(2);
    await change(3);
    await firstAgain.until(3);
    const secondAgain = await follow([level, trend]);
    assert.deepEqual(secondAgain.values(1), [0, 1, 2, 3]);
    assert.deepEqual(secondAgain.values(0), [0]);
    assert.equal((await server.count()).subscriptions, 1);
  });

  test('a subscriber of other channels than before gets their present values', async (t) => {
    const { follow, cut, connect } = await lay(t);
    const former = await follow([trend]);
    await cut();
    await former.ended;
    await change(1, 2);
    await connect();
    const latter = await follow([level, trend]);
    await latter.until(2, 1);
    assert.deepEqual(latter.values(1).at(-1), 2);
  });

  test('a silent server that has a message is not taken for dead', async (t) => {
    const clock = new ManualClock(Date.now());
    const { follow } = await lay(t, { republish: 'STANDARD', keepAliveCount: KEEP_ALIVE_COUNT }, clock);
    const subject = await follow();
    await server.swallow(100, 'ALL');
    await change(1);
    await untilSwallowed(1);
    clock.advance(SILENCE_MS);
    await subject.until(1);
    assert.deepEqual(subject.ends, []);
  });

  test('a server that neither sends nor stores messages is found after three times the silence', async (t) => {
    const clock = new ManualClock(Date.now());
    const { read, follow } = await lay(t, { republish: 'STANDARD', keepAliveCount: KEEP_ALIVE_COUNT }, clock);
    const subject = await follow();
    await server.swallow(1000, 'ALL');
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(subject.ends, []);
      clock.advance(SILENCE_MS);
      // The server takes requests in their order, so that its answer about the messages comes before this one.
      await read(level);
    }
    assert.equal((await subject.ended).code, 'OPCUA_SUBSCRIPTION_SILENT');
  });
});

const KEEP_ALIVE_COUNT = 2;
const REQUEST_TIMEOUT_MS = 3000;
const SILENCE_MS = (KEEP_ALIVE_COUNT + 1) * INTERVAL_MS + REQUEST_TIMEOUT_MS;

interface Laid extends Omit<CabledDriver, 'follow'> {
  /** Subscribes, by default to `trend`, and resolves when each channel was reported. */
  readonly follow: (channels?: readonly Channel<OpcuaAddress>[]) => Promise<Follower>;
  readonly logged: (event: string) => readonly unknown[];
}

async function lay(t: TestContext, terms: AsyncuaTerms = {}, clock = systemClock): Promise<Laid> {
  await server.reset(terms);
  const logger = createMemoryLogger();
  const cabled = await connectOverCable(t, {
    port: server.port,
    dataDirectory: createTemporaryDirectory(t),
    intervalMs: INTERVAL_MS,
    clock,
    logger,
    config: { keepAliveMs: 60_000, requestTimeoutMs: REQUEST_TIMEOUT_MS },
  });
  return {
    ...cabled,
    follow: (channels = [trend]) => cabled.follow(channels),
    logged: (name) => logger.lines.filter(({ event }) => event === name),
  };
}

/** Sets the trend to each value in turn. */
function change(...values: readonly number[]): Promise<void> {
  return server.burst(
    'trend',
    values.map((value) => [value, 0, Date.now()]),
  );
}

async function untilSwallowed(count: number): Promise<void> {
  while ((await server.countSwallowed()) < count);
}
