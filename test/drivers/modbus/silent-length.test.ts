import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createRegisterChannels, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultServer } from '../../support/modbus-fault-server.ts';

const RESPONSE_TIMEOUT_MS = 1000;

/** A device that leaves out requests for more than some registers, and those that touch one register. */
interface Device extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly underTest: DriverUnderTest;
  limit: number;
  ignored: number;
  unansweredCount(): number;
  read(first: number, count: number): Promise<readonly Reading[]>;
}

async function startDevice(limit: number): Promise<Device> {
  const clock = new ManualClock();
  let unanswered = 0;
  const server = await startFaultServer((request, connection) => {
    const offset = request.pdu.readUInt16BE(1);
    const quantity = request.pdu.readUInt16BE(3);
    const touches = offset <= device.ignored && device.ignored < offset + quantity;
    if (quantity > device.limit || touches) unanswered += 1;
    else connection.send(answerFrame(request));
  });
  const underTest = await connectDriver(server.port, { clock });
  const { driver } = underTest;
  const device: Device = {
    clock,
    server,
    underTest,
    limit,
    ignored: -1,
    unansweredCount: () => unanswered,
    async read(first, count) {
      const ended = new AbortController();
      const done = driver
        .prepareRead(createRegisterChannels(first, count))
        .read(noDeadline())
        .finally(() => ended.abort());
      while (!ended.signal.aborted) {
        await new Promise((resolve) => setImmediate(resolve));
        // Only when all other answers have arrived.
        const { requests = 0, answers = 0, timeouts = 0 } = driver.counters();
        if (requests - answers === unanswered && timeouts < unanswered) clock.advance(RESPONSE_TIMEOUT_MS);
      }
      return done;
    },
    async [Symbol.asyncDispose]() {
      await driver.disconnect();
      await server.close();
    },
  };
  return device;
}

function countValues(readings: readonly Reading[]): number {
  return readings.filter(({ failure }) => failure === undefined).length;
}

test('a device that leaves out long requests is soon read whole, and costs no more time-outs', async () => {
  await using device = await startDevice(40);
  assert.equal(countValues(await device.read(0, 10)), 10);
  for (let turn = 0; turn < 6; turn += 1) await device.read(0, 300);
  const before = device.unansweredCount();
  device.clock.advance(600_000);
  assert.equal(countValues(await device.read(0, 300)), 300);
  assert.equal(device.unansweredCount(), before);
  const [unit] = device.underTest.driver.unitStatus();
  assert.equal(unit?.silentAddresses, undefined);
  assert.equal(unit?.requestLimits?.[0]?.kind, 'HOLDING_REGISTERS');
  assert.ok((unit.requestLimits[0]?.maximumQuantity ?? 99) <= 40);
});

test('a silent register shortens no request', async () => {
  await using device = await startDevice(125);
  device.ignored = 37;
  assert.equal(countValues(await device.read(200, 10)), 10);
  for (let turn = 0; turn < 12; turn += 1) await device.read(0, 100);
  assert.equal(countValues(await device.read(0, 100)), 99);
  assert.equal(device.underTest.driver.unitStatus()[0]?.requestLimits, undefined);
  device.ignored = -1;
  device.clock.advance(120_000);
  assert.equal(countValues(await device.read(0, 100)), 100);
  device.clock.advance(120_000);
  await device.read(0, 100);
  assert.equal(device.underTest.driver.unitStatus()[0]?.requestLimits, undefined);
});
