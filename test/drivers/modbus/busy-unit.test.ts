import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInspecting } from '../../../daemon/channel/driver.ts';
import type { Driver } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultServer } from '../../support/modbus-fault-server.ts';
import { writeValues } from '../../support/write-values.ts';

const PAUSE_MS = 200;

interface Plant extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly underTest: DriverUnderTest;
  /** Waits until the driver has seen that many exceptions, and moves the clock over the pause after them. */
  passPause(exceptions: number): Promise<void>;
}

/** Starts a device whose unit 7 answers its first requests with an exception. */
async function startPlant(
  { exceptionCode = 6, times = Number.POSITIVE_INFINITY },
  settings: Parameters<typeof connectDriver>[1] = {},
): Promise<Plant> {
  const clock = new ManualClock();
  let count = 0;
  const server = await startFaultServer((request, connection) => {
    const isBusy = request.unitId === 7 && count < times;
    if (isBusy) count += 1;
    connection.send(isBusy ? exceptionFrame(request, exceptionCode) : answerFrame(request));
  });
  const underTest = await connectDriver(server.port, { clock, ...settings });
  return {
    clock,
    server,
    underTest,
    async passPause(exceptions) {
      await until(() => (underTest.driver.counters()['exceptions'] ?? 0) >= exceptions);
      await settle();
      clock.advance(PAUSE_MS);
    },
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets everything happen that needs no clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const channelOf = (offset: number, unitId = 7) => createChannel({ unitId, offset });

for (const [name, exceptionCode] of [
  ['that is busy', 6],
  ['that needs a long time', 5],
] as const) {
  test(`a unit ${name} is read again after a pause`, async () => {
    await using plant = await startPlant({ exceptionCode, times: 2 });
    const reading = plant.underTest.driver.prepareRead([channelOf(3)]).read(noDeadline());
    await plant.passPause(1);
    await plant.passPause(2);
    assert.equal((await reading)[0]?.value, 3);
    assert.equal(plant.server.requests.length, 3);
  });
}

test('a unit is not read again before the pause is over', async () => {
  await using plant = await startPlant({ times: 1 });
  const reading = plant.underTest.driver.prepareRead([channelOf(3)]).read(noDeadline());
  await until(() => plant.underTest.driver.counters()['exceptions'] === 1);
  await settle();
  plant.clock.advance(PAUSE_MS - 1);
  await settle();
  assert.equal(plant.server.requests.length, 1);
  plant.clock.advance(1);
  assert.equal((await reading)[0]?.value, 3);
});

test('a unit that stays busy fails its channels with the exception after busyRetries', async () => {
  await using plant = await startPlant({}, { busyRetries: 2 });
  const reading = plant.underTest.driver.prepareRead([channelOf(3)]).read(noDeadline());
  await plant.passPause(1);
  await plant.passPause(2);
  assert.equal((await reading)[0]?.failure?.code, 'MODBUS_SERVER_DEVICE_BUSY');
  assert.equal(plant.server.requests.length, 3);
});

test('with busyRetries 0 of its unit a busy unit fails at once', async () => {
  await using plant = await startPlant({}, { units: [{ unitId: 7, busyRetries: 0 }] });
  const [reading] = await plant.underTest.driver.prepareRead([channelOf(3)]).read(noDeadline());
  assert.equal(reading?.failure?.message, 'unit 7 returned exception 06 SERVER DEVICE BUSY');
});

test('the others of a read come before a busy unit is asked again', async () => {
  await using plant = await startPlant({ times: 1 });
  const channels = [channelOf(3), channelOf(4, 8), channelOf(9, 9)];
  const reading = plant.underTest.driver.prepareRead(channels).read(noDeadline());
  await plant.passPause(1);
  assert.deepEqual(
    (await reading).map(({ value }) => value),
    [3, 4, 9],
  );
  assert.deepEqual(
    plant.server.requests.map(({ unitId }) => unitId),
    [7, 8, 9, 7],
  );
});

test('other calls go on while a busy unit is waited for', async () => {
  await using plant = await startPlant({ times: 2 });
  const { driver } = plant.underTest;
  const reading = driver.prepareRead([channelOf(3)]).read(noDeadline());
  const writing = writeValues(driver, [{ channel: channelOf(5), value: 1 }], noDeadline(), plant.clock);
  await until(() => driver.counters()['exceptions'] === 2);
  const [other] = await driver.prepareRead([channelOf(4, 8)]).read(noDeadline());
  assert.equal(other?.value, 4);
  await plant.passPause(2);
  assert.equal((await reading)[0]?.value, 3);
  assert.equal((await writing)[0]?.failure, undefined);
});

test('the deadline ends the wait for a busy unit, and its channels fail with the exception', async () => {
  await using plant = await startPlant({});
  const deadline = new AbortController();
  const { driver } = plant.underTest;
  const reading = driver.prepareRead([channelOf(3)]).read(deadline.signal);
  const writing = writeValues(driver, [{ channel: channelOf(5), value: 1 }], deadline.signal, plant.clock);
  await until(() => driver.counters()['exceptions'] === 2);
  await settle();
  deadline.abort(new Error('no response within 10000 ms'));
  assert.equal((await reading)[0]?.failure?.code, 'MODBUS_SERVER_DEVICE_BUSY');
  assert.equal((await writing)[0]?.failure?.code, 'MODBUS_SERVER_DEVICE_BUSY');
  assert.equal(plant.server.requests.length, 2);
});

test('a write that the unit was too busy for is sent again, and the next one comes after it', async () => {
  await using plant = await startPlant({ times: 1 });
  const requests = [1, 9].map((offset) => ({ channel: channelOf(offset), value: 5 }));
  const writing = writeValues(plant.underTest.driver, requests, noDeadline(), plant.clock);
  await plant.passPause(1);
  assert.deepEqual(
    (await writing).map(({ failure }) => failure),
    [undefined, undefined],
  );
  assert.deepEqual(
    plant.server.requests.map(({ pdu }) => Array.from(pdu)),
    [
      [6, 0, 1, 0, 5],
      [6, 0, 1, 0, 5],
      [6, 0, 9, 0, 5],
    ],
  );
});

test('a unit that stays busy is waited for once in a call, and its writes are not done', async () => {
  await using plant = await startPlant({}, { busyRetries: 1 });
  const requests = [1, 9].map((offset) => ({ channel: channelOf(offset), value: 5 }));
  const writing = writeValues(plant.underTest.driver, requests, noDeadline(), plant.clock);
  await plant.passPause(1);
  const codes = (await writing).map(({ failure }) => failure?.code);
  assert.deepEqual(codes, ['MODBUS_SERVER_DEVICE_BUSY', 'MODBUS_SERVER_DEVICE_BUSY']);
  assert.deepEqual(
    plant.server.requests.map(({ pdu }) => pdu[2]),
    [1, 1, 9],
  );
});

/** Starts a device that is busy for the second of three parts of a value, and writes that value and another one. */
async function startPartlyBusy({ times = Number.POSITIVE_INFINITY, busyRetries = 2 } = {}) {
  const clock = new ManualClock();
  let count = 0;
  const server = await startFaultServer((request, connection) => {
    const isBusy = request.pdu.readUInt16BE(1) === 2 && count < times;
    if (isBusy) count += 1;
    connection.send(isBusy ? exceptionFrame(request, 6) : answerFrame(request));
  });
  const { driver } = await connectDriver(server.port, {
    clock,
    maximumRegistersPerWrite: 2,
    splitValues: true,
    busyRetries,
  });
  const deadline = new AbortController();
  const text = createChannel({ unitId: 7, offset: 0, dataType: 'STRING', length: 12 }, 'STRING');
  const requests = [
    { channel: text, value: 'Pump' },
    { channel: channelOf(20), value: 1 },
  ];
  const writing = writeValues(driver, requests, deadline.signal, clock);
  return {
    server,
    deadline,
    /** Waits until the device was busy that often, and lets the driver see it. */
    async seeBusy(exceptions: number): Promise<void> {
      await until(() => (driver.counters()['exceptions'] ?? 0) >= exceptions);
      await settle();
    },
    passPause: () => clock.advance(PAUSE_MS),
    codes: async () => (await writing).map(({ failure }) => failure?.code),
    offsets: () => server.requests.map(({ pdu }) => pdu.readUInt16BE(1)),
    async [Symbol.asyncDispose](): Promise<void> {
      await driver.disconnect();
      await server.close();
    },
  };
}

test('a unit that is too busy for a part of a value gets it after a pause, and those before it once', async () => {
  await using plant = await startPartlyBusy({ times: 2 });
  for (const exceptions of [1, 2]) {
    await plant.seeBusy(exceptions);
    plant.passPause();
  }
  assert.deepEqual(await plant.codes(), [undefined, undefined]);
  assert.deepEqual(plant.offsets(), [0, 2, 2, 2, 4, 20]);
});

test('a unit that stays too busy for a part of a value has it partly, and gets no further value', async () => {
  await using plant = await startPartlyBusy({ busyRetries: 1 });
  await plant.seeBusy(1);
  plant.passPause();
  assert.deepEqual(await plant.codes(), ['MODBUS_PARTLY_WRITTEN', 'WRITE_HELD_BACK']);
  assert.deepEqual(plant.offsets(), [0, 2, 2]);
});

test('a value that was taken in part when the deadline ends the pause is partly written, and nothing more is sent', async () => {
  await using plant = await startPartlyBusy();
  await plant.seeBusy(1);
  plant.deadline.abort(new Error('no response within 10000 ms'));
  assert.deepEqual(await plant.codes(), ['MODBUS_PARTLY_WRITTEN', 'DEADLINE_EXCEEDED']);
  assert.deepEqual(plant.offsets(), [0, 2]);
});

test('a busy unit is inspected again after a pause', async () => {
  await using plant = await startPlant({ times: 1 });
  const driver: Driver = plant.underTest.driver;
  assert.ok(isInspecting(driver));
  const inspecting = driver.inspect(channelOf(3), noDeadline());
  await plant.passPause(1);
  assert.ok('bytes' in (await inspecting));
});
