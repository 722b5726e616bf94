import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { Reading, SubscribingDriver } from '../../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { createOpcuaChannel, createOpcuaDriver } from '../../support/opcua-driver-under-test.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

// Good, the value came from a data source, and the queue overflowed before it (OPC 10000-4, 7.39.1).
const OVERFLOW = 0x0000_0480;

suite('with a server on asyncua that queues values', needs('asyncua'), () => {
  const dataDirectory = createTemporaryDirectory({ after });
  let server: AsyncuaServer;
  let driver: SubscribingDriver<OpcuaAddress>;

  before(async () => {
    server = await startAsyncuaServer();
    driver = createOpcuaDriver({ endpointUrl: `opc.tcp://127.0.0.1:${server.port}` }, { dataDirectory });
    await driver.connect(noDeadline(), () => undefined);
  });
  after(async () => {
    await driver.disconnect();
    await server[Symbol.asyncDispose]();
  });

  test('every queued value comes in its order with its time, an overflow is passed over, and a status is a failure', async () => {
    const last = 9;
    const readings = await follow(driver, last, 5, () =>
      server.burst('trend', [
        [1, 0, 1000],
        [2, 0, 2000],
        [3, OVERFLOW, 3000],
        [4, 0, 4000],
        [5, 0x808c_0000, 5000],
        [6, 0, 6000],
        [last, 0, 9000],
      ]),
    );
    assert.deepEqual(readings.map(toPlain), [
      { value: 3, timestampMs: 3000, isQueued: true },
      { value: 4, timestampMs: 4000, isQueued: true },
      { code: 'OPCUA_BAD_SENSOR_FAILURE', isQueued: true },
      { value: 6, timestampMs: 6000, isQueued: true },
      { value: last, timestampMs: 9000, isQueued: true },
    ]);
  });

  test('with the usual queue only the newest value comes', async () => {
    const last = 19;
    const readings = await follow(driver, last, 1, () =>
      server.burst('trend', [
        [18, 0, 1000],
        [last, 0, 2000],
      ]),
    );
    assert.deepEqual(readings.map(toPlain), [{ value: last, timestampMs: 2000, isQueued: undefined }]);
  });
});

/** Returns what is reported after the first value, up to the last one. */
async function follow(
  driver: SubscribingDriver<OpcuaAddress>,
  last: number,
  queueSize: number,
  change: () => Promise<void>,
): Promise<readonly Reading[]> {
  const readings: Reading[] = [];
  const ending = new AbortController();
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  await driver.subscribe({
    channels: [createOpcuaChannel('trend', 'INTEGER', { queueSize, samplingIntervalMs: 0 })],
    minimumIntervalMs: 200,
    signal: ending.signal,
    onEnd: done.reject,
    onReading(_, reading) {
      readings.push(reading);
      begun.resolve();
      if (reading.value === last) done.resolve();
    },
  });
  await begun.promise;
  await change();
  await done.promise;
  ending.abort();
  return readings.slice(1);
}

function toPlain(reading: Reading): unknown {
  const { failure, timestampMs, value, isQueued } = reading;
  return failure === undefined ? { value, timestampMs, isQueued } : { code: failure.code, isQueued };
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
