import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';

import type { SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import type { OpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { writeValues } from '../../support/write-values.ts';

const LIMIT = 2;
const NAMES = ['int16', 'uint16', 'int32', 'sbyte', 'byte'];
const directory = createTemporaryDirectory({ after });
let server: OpcuaServer;
let driver: SubscribingDriver<OpcuaAddress>;

before(async () => {
  server = await startOpcuaServer({
    directory: `${directory}/server`,
    operationLimits: { maxNodesPerRead: 4, maxNodesPerWrite: LIMIT, maxMonitoredItemsPerCall: LIMIT },
    tellsLimits: false,
  });
});
after(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  driver = createOpcuaDriver({ endpointUrl: server.endpointUrl }, { dataDirectory: `${directory}/gateway` });
  await driver.connect(new AbortController().signal, () => undefined);
  await server.countRequests();
});
afterEach(() => driver.disconnect());

test('a server that takes fewer nodes than it tells is written in parts, each value once', async () => {
  for (const first of [1, 11]) {
    const requests = NAMES.map((name, index) => ({
      channel: createOpcuaChannel(`writable.${name}`, 'INTEGER'),
      value: first + index,
    }));
    await server.listWrites();
    const outcomes = await writeValues(driver, requests, new AbortController().signal);
    assert.deepEqual(
      outcomes.map(({ failure }) => failure),
      NAMES.map(() => undefined),
    );
    const written = NAMES.map((name, index) => ({ name, value: first + index }));
    assert.deepEqual(await server.listWrites(), written);
  }
  // 5 and 3 are refused before 2, 1 and 2 are taken; the second time the limit is known: 2, 2 and 1.
  assert.equal((await server.countRequests())['WriteRequest'], 5 + 3);
});

test('a server that takes fewer items than it tells reports changes of all', async () => {
  const newest = new Map<number, unknown>();
  const listening = new AbortController();
  const { promise: complete, resolve } = Promise.withResolvers<undefined>();
  await driver.subscribe({
    channels: NAMES.map((name) => createOpcuaChannel(name, 'INTEGER')),
    minimumIntervalMs: 50,
    onReading(index, { value }) {
      newest.set(index, value);
      if (newest.size === NAMES.length) resolve(undefined);
    },
    onEnd: assert.ifError,
    signal: listening.signal,
  });
  await complete;
  listening.abort();
  assert.deepEqual(
    NAMES.map((_, index) => newest.get(index)),
    [-32_768, 65_535, -2_147_483_648, -128, 255],
  );
});
