import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAdapting } from '../../../daemon/channel/driver.ts';
import type { Driver } from '../../../daemon/channel/driver.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultServer } from '../../support/modbus-fault-server.ts';

const LONGEST = 60;
const BUSY = 6;
const PAUSE_MS = 200;
const HOUR_MS = 3_600_000;

interface Plant extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly driver: Driver;
  /** Numbers of the requests that find their unit busy, from 1. */
  readonly busy: Set<number>;
  /** Resolves when the driver has dealt with that many answers. */
  answered(wanted: number): Promise<void>;
}

/** Starts units that take at most 60 registers in one request. */
async function startPlant(settings: Parameters<typeof connectDriver>[1] = {}): Promise<Plant> {
  const clock = new ManualClock();
  const busy = new Set<number>();
  let count = 0;
  const server = await startFaultServer((request, connection) => {
    count += 1;
    const isTooLong = request.pdu.readUInt16BE(3) > LONGEST;
    if (busy.has(count)) connection.send(exceptionFrame(request, BUSY));
    else connection.send(isTooLong ? exceptionFrame(request, 3) : answerFrame(request));
  });
  const underTest: DriverUnderTest = await connectDriver(server.port, { clock, ...settings });
  return {
    clock,
    server,
    driver: underTest.driver,
    busy,
    async answered(wanted) {
      const { driver } = underTest;
      const isReady = (): boolean => {
        const { answers = 0, exceptions = 0 } = driver.counters();
        return answers + exceptions >= wanted;
      };
      while (!isReady()) await new Promise((resolve) => setImmediate(resolve));
      await settle();
    },
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
}

const range = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);

async function valuesOf(driver: Driver, first: number, count: number): Promise<readonly unknown[]> {
  const readings = await driver.prepareRead(createRegisterChannels(first, count)).read(noDeadline());
  return readings.map(({ value, failure }) => value ?? failure?.code);
}

/** Lets everything happen that needs no clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('an array that is longer than the requests that its unit takes is read in parts, also after longer ones were tried', async () => {
  await using plant = await startPlant();
  const array = plant.driver.prepareRead([createChannel({ offset: 200, count: 100 }, 'STRING')]);
  const [refused] = await array.read(noDeadline());
  assert.equal(refused?.failure?.code, 'MODBUS_ILLEGAL_DATA_VALUE');
  assert.deepEqual(await valuesOf(plant.driver, 0, 120), range(0, 120));
  for (let turn = 0; turn < 3; turn += 1) {
    const [whole] = await array.read(noDeadline());
    assert.equal(whole?.value, JSON.stringify(range(200, 100)));
    plant.clock.advance(HOUR_MS);
  }
});

test('a unit that is busy while its request is searched for the reason of a refusal has it found in the same call', async () => {
  await using plant = await startPlant();
  // The whole, its first half, and that half once more.
  plant.busy.add(2).add(4);
  const values = valuesOf(plant.driver, 0, 100);
  for (const requests of [3, 4]) {
    await plant.answered(requests);
    plant.clock.advance(PAUSE_MS);
  }
  assert.deepEqual(await values, range(0, 100));
  const [status] = plant.driver.unitStatus?.() ?? [];
  assert.deepEqual(status?.requestLimits, [{ kind: 'HOLDING_REGISTERS', maximumQuantity: 50 }]);
});

test('the shorter of the detected length and that of the settings holds, also when the settings change', async () => {
  await using plant = await startPlant();
  const { driver, server } = plant;
  const read = driver.prepareRead(createRegisterChannels(0, 120));
  for (let turn = 0; turn < 6; turn += 1) await read.read(noDeadline());
  const lengthsOf = async (): Promise<readonly number[]> => {
    const before = server.requests.length;
    await read.read(noDeadline());
    return server.requests.slice(before).map(({ pdu }) => pdu.readUInt16BE(3));
  };
  assert.deepEqual(await lengthsOf(), [60, 60]);
  assert.ok(isAdapting(driver));
  const configure = (maximumRegistersPerRequest?: number): unknown =>
    configSchema.parse({
      transport: 'tcp',
      host: '127.0.0.1',
      port: server.port,
      units: [{ unitId: 1, maximumRegistersPerRequest }],
    });
  driver.adapt(configure(40));
  assert.deepEqual(await lengthsOf(), [40, 40, 40]);
  driver.adapt(configure());
  assert.deepEqual(await lengthsOf(), [60, 60]);
});
