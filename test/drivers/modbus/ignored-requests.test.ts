import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRetaining } from '../../../daemon/channel/retaining-driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultServer } from '../../support/modbus-fault-server.ts';

const RESPONSE_TIMEOUT_MS = 1000;
const STEP_MS = 10;

/** A device that answers one register alone, and that after a while. */
interface Device extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly underTest: DriverUnderTest;
  /** Moves the clock on; requests and answers arrive in between. */
  pass(ms: number): Promise<void>;
  /** Reads registers again and again, each a request, until the first has a value; returns the milliseconds that it took. */
  readUntilGood(offsets: readonly number[]): Promise<number>;
}

async function startDevice(answeredOffset: number, responseMs = 30): Promise<Device> {
  const clock = new ManualClock();
  const server = await startFaultServer((request, connection) => {
    if (request.pdu.readUInt16BE(1) !== answeredOffset) return;
    clock.schedule(responseMs, () => connection.send(answerFrame(request)));
  });
  const underTest = await connectDriver(server.port, { clock });
  const pass = async (ms: number): Promise<void> => {
    const endMs = clock.monotonicMs() + ms;
    while (clock.monotonicMs() < endMs) {
      for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(STEP_MS);
    }
  };
  return {
    clock,
    server,
    underTest,
    pass,
    async readUntilGood(offsets) {
      const channels = offsets.map((offset) => createChannel({ offset }));
      const startMs = clock.monotonicMs();
      for (;;) {
        const reading = underTest.driver.prepareRead(channels).read(noDeadline());
        const ended = new AbortController();
        const settled = reading.finally(() => ended.abort());
        while (!ended.signal.aborted) await pass(STEP_MS);
        const [first] = await settled;
        if (first?.value !== undefined) return clock.monotonicMs() - startMs;
        assert.ok(clock.monotonicMs() - startMs < 300_000, 'no value within 5 minutes');
        await pass(100);
      }
    },
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
}

function readOnce(device: Device, offsets: readonly number[], ms = 30_000): Promise<void> {
  const channels = offsets.map((offset) => createChannel({ offset }));
  void device.underTest.driver.prepareRead(channels).read(noDeadline());
  return device.pass(ms);
}

// Two apart, so that each is a request of its own.
const IGNORED = Array.from({ length: 40 }, (_, index) => 100 + 2 * index);

test('a request that was never sent is tried although more requests than any are kept were ignored', async () => {
  await using device = await startDevice(7);
  await readOnce(device, IGNORED);
  assert.ok((await device.readUntilGood([7])) <= RESPONSE_TIMEOUT_MS + 1000);
});

test('a unit that ignored the only address it was asked for has its first value after a time-out and a second', async () => {
  await using device = await startDevice(7);
  await readOnce(device, [100]);
  await readOnce(device, [100]);
  assert.equal(device.underTest.driver.unitStatus()[0]?.state, 'SUSPENDED');
  assert.ok((await device.readUntilGood([7])) <= RESPONSE_TIMEOUT_MS + 1000);
});

test('the good value comes also when the unit answers slower than a probe waits', async () => {
  await using device = await startDevice(7, 600);
  await readOnce(device, IGNORED.slice(0, 3));
  assert.ok((await device.readUntilGood([7])) <= 2 * RESPONSE_TIMEOUT_MS + 1000);
});

test('a dead unit that is asked for ever other things costs its line little', async () => {
  await using device = await startDevice(-1);
  for (let second = 0; second < 30; second += 1) await readOnce(device, [1000 + 2 * second], 1000);
  const before = device.server.requests.length;
  for (let second = 30; second < 60; second += 1) await readOnce(device, [1000 + 2 * second], 1000);
  assert.ok(device.server.requests.length - before <= 30);
});

test('what was asked for channels that are configured no more is forgotten, and their unit as well', async () => {
  await using device = await startDevice(-1);
  const { driver } = device.underTest;
  assert.ok(isRetaining(driver));
  void driver.prepareRead([createChannel({ offset: 50, unitId: 2 })]).read(noDeadline());
  await readOnce(device, IGNORED.slice(0, 20));
  driver.retain([createChannel({ offset: 7 })]);
  const before = device.server.requests.length;
  await device.pass(30_000);
  assert.equal(device.server.requests.length, before);
  await readOnce(device, [7]);
  const offsets = new Set(device.server.requests.slice(before).map(({ pdu }) => pdu.readUInt16BE(1)));
  assert.deepEqual([...offsets], [7]);
  assert.deepEqual(
    driver.unitStatus().map(({ name }) => name),
    ['unit 1'],
  );
});
