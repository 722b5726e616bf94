import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Reading } from '../../../daemon/channel/driver.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { standStill } from '../../support/stand-still.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const TIMEOUT_MS = 300;
const STANDSTILL_MS = 900;
const CHANNEL = createChannel({ offset: 7 });

const { test } = testsThatNeed('libmodbus');

/** Starts a device that answers at once; its register 7 holds 7. */
async function connect(t: TestContext): Promise<DriverUnderTest> {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  return connectDriver(server.port, { responseTimeoutMs: TIMEOUT_MS });
}

async function read({ driver }: DriverUnderTest): Promise<Reading | undefined> {
  const [reading] = await driver.prepareRead([CHANNEL]).read(noDeadline());
  return reading;
}

test('a value that came in time is not missed by a process that stood still', async (t) => {
  await using underTest = await connect(t);
  // The way to the device is open, and what comes first is done.
  await read(underTest);
  const reading = read(underTest);
  await nextTurn();
  standStill(STANDSTILL_MS);
  assert.deepEqual([(await reading)?.value, (await reading)?.failure], [7, undefined]);
});

test('a write that was confirmed in time is known to be done by a process that stood still', async (t) => {
  await using underTest = await connect(t);
  await read(underTest);
  const writing = writeValues(underTest.driver, [{ channel: CHANNEL, value: 8 }], noDeadline());
  await nextTurn();
  standStill(STANDSTILL_MS);
  const [written] = await writing;
  assert.ok(written);
  assert.equal(written.failure, undefined);
  assert.equal((await read(underTest))?.value, 8);
});
