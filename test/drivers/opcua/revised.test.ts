import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer, AsyncuaTerms } from '../../support/asyncua-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

const INTERVAL_MS = 50;
const REQUEST_TIMEOUT_MS = 3000;
const level = createOpcuaChannel('level', 'INTEGER');
let server: AsyncuaServer;

suite('with a server on asyncua that revises what it is asked for', needs('asyncua'), () => {
  before(async () => {
    server = await startAsyncuaServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test('keep-alives come three times within the time-out that the server gives a session', async (t) => {
    const { driver, clock } = await lay(t, { sessionTimeoutMs: 9000 });
    const former = await server.countReads();
    clock.advance(3000);
    // The server takes requests in their order, so that the keep-alive comes before this read.
    await driver.prepareRead([level]).read(noDeadline());
    assert.equal((await server.countReads()) - former, 2);
  });

  test('a subscription is lost after the keep-alive time that the server gives, and the log shows it', async (t) => {
    const { driver, clock, logged } = await lay(t, { keepAliveCount: 2, republish: 'UNSUPPORTED' });
    const reported = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<ConnectionError>();
    await driver.subscribe({
      channels: [level],
      minimumIntervalMs: INTERVAL_MS,
      signal: noDeadline(),
      onReading: () => reported.resolve(),
      onEnd: ended.resolve,
    });
    await reported.promise;
    await server.swallow(1000, 'ALL');
    clock.advance(3 * INTERVAL_MS + REQUEST_TIMEOUT_MS);
    assert.equal((await ended.promise).code, 'OPCUA_SUBSCRIPTION_SILENT');
    assert.deepEqual(logged('opcua.subscriptionRevised'), {
      asked: { publishingIntervalMs: INTERVAL_MS, keepAliveMs: 60_000, lifetimeMs: 600_000 },
      given: { publishingIntervalMs: INTERVAL_MS, keepAliveMs: 2 * INTERVAL_MS, lifetimeMs: 600_000 },
    });
  });

  test('the log shows a sampling interval and a queue that the server gives in place of those asked for', async (t) => {
    const { driver, logged } = await lay(t);
    const reported = Promise.withResolvers<void>();
    await driver.subscribe({
      channels: [createOpcuaChannel('level', 'INTEGER', { samplingIntervalMs: 10, queueSize: 5 })],
      minimumIntervalMs: INTERVAL_MS,
      signal: noDeadline(),
      onReading: () => reported.resolve(),
      onEnd: () => undefined,
    });
    await reported.promise;
    assert.deepEqual(logged('opcua.itemsRevised'), {
      items: 1,
      first: {
        nodeId: level.address.nodeId,
        asked: { samplingIntervalMs: 10, queueSize: 5 },
        given: { samplingIntervalMs: INTERVAL_MS, queueSize: 5 },
      },
    });
  });
});

interface Laid {
  readonly driver: SubscribingDriver<OpcuaAddress>;
  readonly clock: ManualClock;
  /** Returns the fields of the first line of the log for an event. */
  readonly logged: (event: string) => unknown;
}

async function lay(t: TestContext, terms: AsyncuaTerms = {}): Promise<Laid> {
  await server.reset(terms);
  const clock = new ManualClock(Date.now());
  const logger = createMemoryLogger();
  const driver = createOpcuaDriver(
    {
      endpointUrl: `opc.tcp://127.0.0.1:${server.port}`,
      keepAliveMs: 60_000,
      sessionTimeoutMs: 3_600_000,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    },
    { dataDirectory: createTemporaryDirectory(t), clock, logger },
  );
  t.after(() => driver.disconnect());
  await driver.connect(noDeadline(), () => undefined);
  return {
    driver,
    clock,
    logged: (name) => logger.lines.find(({ event }) => event === name)?.fields,
  };
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
