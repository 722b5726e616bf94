import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const TIMEOUT_MS = 300;
const STANDSTILL_MS = 900;

/** Lets this process do nothing at all, as one does that the machine has no time for. */
function standStill(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

/** Reads and writes a register while the process stands still for longer than a device may take. */
async function useAcrossStandstill({ driver }: DriverUnderTest): Promise<void> {
  const channel = createChannel({ offset: 7 });
  const read = driver.prepareRead([channel]);
  // The way to the device is open, and what comes first is done.
  await read.read(noDeadline());
  const reading = read.read(noDeadline());
  await nextTurn();
  standStill(STANDSTILL_MS);
  const [found] = await reading;
  assert.deepEqual([found?.value, found?.failure], [7, undefined]);
  const writing = driver.write([{ channel, value: 7 }], noDeadline());
  await nextTurn();
  standStill(STANDSTILL_MS);
  const [written] = await writing;
  assert.equal(written?.failure, undefined);
}

const { test } = testsThatNeed('libmodbus');

test('an answer that came in time is not missed by a process that stood still', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  await using underTest = await connectDriver(server.port, { responseTimeoutMs: TIMEOUT_MS });
  await useAcrossStandstill(underTest);
});
