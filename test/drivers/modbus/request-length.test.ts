import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreparedRead, Reading, RequestLimit } from '../../../daemon/channel/driver.ts';
import { isInspecting } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import {
  answerFrame,
  answerPdu,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../support/modbus-fault-server.ts';
import type { FaultRequest, FaultServer } from '../../support/modbus-fault-server.ts';
import { startPymodbusServer } from '../../support/pymodbus-server.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { needs } from '../../support/tests-that-need.ts';

/** What a device does with a request: answers it, refuses it with this exception, or answers it in part. */
type Treatment = 'ANSWER' | 'SHORT' | number;

interface Device extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly underTest: DriverUnderTest;
  /** Chooses what becomes of a read; may be changed under way. */
  treat: (offset: number, quantity: number, functionCode: number) => Treatment;
  prepare(first: number, quantity: number): PreparedRead;
  /** Reads, and returns the lengths of the requests that it took, in their order. */
  lengthsOf(read: PreparedRead): Promise<readonly number[]>;
  /** Limits of unit 1 that the status shows. */
  limits(): readonly RequestLimit[] | undefined;
}

async function startDevice(
  treat: Device['treat'],
  settings: Parameters<typeof connectDriver>[1] = {},
): Promise<Device> {
  const clock = new ManualClock();
  const server = await startFaultServer((request, connection) => {
    const offset = request.pdu.readUInt16BE(1);
    const quantity = request.pdu.readUInt16BE(3);
    const treatment = device.treat(offset, quantity, request.pdu[0] ?? 0);
    if (treatment === 'ANSWER') connection.send(answerFrame(request));
    else if (treatment === 'SHORT') connection.send(shortFrame(request));
    else connection.send(exceptionFrame(request, treatment));
  });
  const underTest = await connectDriver(server.port, { clock, ...settings });
  const device: Device = {
    clock,
    server,
    underTest,
    treat,
    prepare: (first, quantity) => underTest.driver.prepareRead(createRegisterChannels(first, quantity)),
    async lengthsOf(read) {
      const before = server.requests.length;
      await read.read(noDeadline());
      return server.requests.slice(before).map(({ pdu }) => pdu.readUInt16BE(3));
    },
    limits: () => underTest.driver.unitStatus()[0]?.requestLimits,
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
  return device;
}

/** An answer with ten registers, whatever was asked for. */
function shortFrame(request: FaultRequest): Buffer {
  const pdu = Buffer.from(answerPdu(request).subarray(0, 22));
  pdu[1] = 20;
  return createFrame({ ...request, pdu });
}

function takesAtMost(limit: number, exceptionCode = 3): Device['treat'] {
  return (_offset, quantity) => (quantity > limit ? exceptionCode : 'ANSWER');
}

function valuesOf(readings: readonly Reading[]): readonly unknown[] {
  return readings.map(({ value, failure }) => value ?? failure?.code);
}

function range(first: number, quantity: number): readonly number[] {
  return Array.from({ length: quantity }, (_, index) => first + index);
}

for (const exceptionCode of [2, 3, 4]) {
  for (const limit of [1, 2, 10, 60, 64, 100, 124]) {
    test(`a device that refuses more than ${limit} registers with exception ${exceptionCode} is read whole at once, and soon with the fewest requests`, async () => {
      await using device = await startDevice(takesAtMost(limit, exceptionCode));
      const read = device.prepare(0, 500);
      assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 500));
      const fewest = Math.ceil(500 / limit);
      const counts = [device.server.requests.length];
      for (let turn = 0; turn < 6; turn += 1) counts.push((await device.lengthsOf(read)).length);
      assert.equal(counts.at(-1), fewest, counts.join());
      assert.ok(
        counts.every((requests) => requests <= 2 * fewest + 20),
        counts.join(),
      );
      const [shown] = device.limits() ?? [];
      assert.ok(shown?.kind === 'HOLDING_REGISTERS' && shown.maximumQuantity <= limit);
    });
  }
}

test('the length that one read detected holds for every read of the unit and table from the start', async () => {
  await using device = await startDevice(takesAtMost(50));
  await device.prepare(0, 100).read(noDeadline());
  assert.deepEqual(await device.lengthsOf(device.prepare(1000, 100)), [50, 50]);
  assert.deepEqual(device.limits(), [{ kind: 'HOLDING_REGISTERS', maximumQuantity: 50 }]);
});

test('other tables and other units keep the length of their requests', async () => {
  await using device = await startDevice((_offset, quantity, functionCode) =>
    functionCode === 3 && quantity > 50 ? 3 : 'ANSWER',
  );
  await device.prepare(0, 100).read(noDeadline());
  const others = [
    ...range(0, 100).map((offset) => createChannel({ table: 'INPUT_REGISTERS', offset })),
    ...range(0, 40).map((offset) => createChannel({ unitId: 2, offset })),
  ];
  assert.deepEqual(await device.lengthsOf(device.underTest.driver.prepareRead(others)), [100, 40]);
});

test('the plan of the next read shows the detected length', async () => {
  await using device = await startDevice(takesAtMost(50));
  const read = device.prepare(0, 100);
  assert.equal(read.describe?.().length, 1);
  await read.read(noDeadline());
  assert.deepEqual(
    read.describe?.().map(({ name }) => name),
    ['unit 1 HOLDING_REGISTERS 0-49', 'unit 1 HOLDING_REGISTERS 50-99'],
  );
});

test('bits are cut to the length that the device takes', async () => {
  await using device = await startDevice(takesAtMost(512));
  const channels = range(0, 2000).map((offset) => createChannel({ table: 'COILS', offset }, 'BOOLEAN'));
  const read = device.underTest.driver.prepareRead(channels);
  const readings = await read.read(noDeadline());
  assert.equal(readings.filter(({ failure }) => failure !== undefined).length, 0);
  for (let turn = 0; turn < 10; turn += 1) await read.read(noDeadline());
  assert.equal((await device.lengthsOf(read)).length, 4);
});

test('where a longer request would save none, the device is not asked for one', async () => {
  await using device = await startDevice(takesAtMost(60));
  const read = device.prepare(0, 100);
  assert.deepEqual(await device.lengthsOf(read), [100, 50, 50]);
  for (let turn = 0; turn < 3; turn += 1) assert.deepEqual(await device.lengthsOf(read), [50, 50]);
});

for (const exceptionCode of [2, 3, 4]) {
  test(`a register that alone is refused with exception ${exceptionCode} fails alone, and shortens no request`, async () => {
    await using device = await startDevice((offset, quantity) =>
      offset <= 70 && offset + quantity > 70 ? exceptionCode : 'ANSWER',
    );
    const read = device.prepare(0, 125);
    const readings = await read.read(noDeadline());
    const alone = [
      'MODBUS_ILLEGAL_DATA_ADDRESS',
      'MODBUS_ILLEGAL_DATA_VALUE',
      'MODBUS_SERVER_DEVICE_FAILURE',
    ];
    assert.deepEqual(
      valuesOf(readings),
      range(0, 125).map((offset) => (offset === 70 ? alone[exceptionCode - 2] : offset)),
    );
    assert.deepEqual(
      (await device.lengthsOf(read)).toSorted((a, b) => a - b),
      [1, 54, 70],
    );
    assert.equal(device.limits(), undefined);
    assert.deepEqual(await device.lengthsOf(device.prepare(1000, 125)), [125]);
  });
}

test('a device with a missing register and short requests has both found', async () => {
  await using device = await startDevice((offset, quantity) => {
    if (quantity > 50) return 3;
    return offset <= 30 && offset + quantity > 30 ? 2 : 'ANSWER';
  });
  const read = device.prepare(0, 125);
  for (let turn = 0; turn < 4; turn += 1) {
    const values = valuesOf(await read.read(noDeadline()));
    assert.deepEqual(
      values.filter((value, index) => value !== index),
      ['MODBUS_ILLEGAL_DATA_ADDRESS'],
    );
  }
  assert.deepEqual((await device.lengthsOf(read)).length, 4);
  assert.ok((device.limits()?.[0]?.maximumQuantity ?? 0) <= 50);
});

test('two areas that a device does not read together are kept apart, and shorten no request elsewhere', async () => {
  await using device = await startDevice((offset, quantity) =>
    offset < 200 && offset + quantity > 200 ? 2 : 'ANSWER',
  );
  const read = device.prepare(0, 375);
  assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 375));
  assert.deepEqual(await device.lengthsOf(read), [125, 75, 125, 50]);
  assert.equal(device.limits(), undefined);
});

test('a gap that is not to be bridged shortens no request', async () => {
  await using device = await startDevice(
    (offset, quantity) => (offset <= 10 && offset + quantity > 10 ? 2 : 'ANSWER'),
    { maximumGap: 4 },
  );
  const channels = [...createRegisterChannels(0, 10), ...createRegisterChannels(11, 10)];
  const read = device.underTest.driver.prepareRead(channels);
  assert.deepEqual(await device.lengthsOf(read), [21, 10, 10]);
  assert.deepEqual(await device.lengthsOf(read), [10, 10]);
  assert.equal(device.limits(), undefined);
});

test('a device that refuses everything costs a bounded number of requests, and then one for each request of the plan', async () => {
  await using device = await startDevice(() => 4);
  const read = device.prepare(0, 500);
  const first = await device.lengthsOf(read);
  assert.ok(first.length <= 40, `${first.length}`);
  assert.deepEqual(await device.lengthsOf(read), [125, 125, 125, 125]);
  device.clock.advance(5000);
  assert.ok((await device.lengthsOf(read)).length > 4);
  device.treat = takesAtMost(60);
  device.clock.advance(5000);
  assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 500));
});

test('a deadline ends the search, and the next read goes on', async () => {
  const deadline = new AbortController();
  await using device = await startDevice((_offset, quantity) => {
    if (device.server.requests.length === 3) deadline.abort(new Error('too late'));
    return quantity > 10 ? 3 : 'ANSWER';
  });
  const read = device.prepare(0, 100);
  const codes = new Set((await read.read(deadline.signal)).map(({ failure }) => failure?.code));
  assert.ok(codes.has('DEADLINE_EXCEEDED'));
  assert.equal(device.server.requests.length, 3);
  assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 100));
});

test('a detected length outlives the connection, and is tried again after an hour', async () => {
  await using device = await startDevice(takesAtMost(50));
  await device.prepare(0, 100).read(noDeadline());
  await device.underTest.driver.connect(noDeadline(), () => undefined);
  const read = device.prepare(0, 100);
  assert.deepEqual(await device.lengthsOf(read), [50, 50]);
  device.treat = () => 'ANSWER';
  device.clock.advance(3_599_999);
  assert.deepEqual(await device.lengthsOf(read), [50, 50]);
  device.clock.advance(1);
  assert.deepEqual(await device.lengthsOf(read), [100]);
  assert.equal(device.limits(), undefined);
});

test('a value that alone is longer than what the device takes is its own failure', async () => {
  await using device = await startDevice(takesAtMost(4));
  const text = createChannel({ offset: 100, dataType: 'STRING', length: 20 }, 'STRING');
  const read = device.underTest.driver.prepareRead([...createRegisterChannels(80, 20), text]);
  await read.read(noDeadline());
  await read.read(noDeadline());
  const readings = await read.read(noDeadline());
  assert.deepEqual(valuesOf(readings), [...range(80, 20), 'MODBUS_ILLEGAL_DATA_VALUE']);
  assert.deepEqual(await device.lengthsOf(read), [4, 4, 4, 4, 4, 10]);
});

test('a device that answers a long request with fewer values is read in shorter ones', async () => {
  await using device = await startDevice((_offset, quantity) => (quantity > 10 ? 'SHORT' : 'ANSWER'));
  const read = device.prepare(0, 100);
  assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 100));
  await read.read(noDeadline());
  assert.deepEqual(await device.lengthsOf(read), Array(10).fill(10));
  assert.deepEqual(device.limits(), [{ kind: 'HOLDING_REGISTERS', maximumQuantity: 10 }]);
});

test('lengths are detected where several requests are under way as well', async () => {
  await using device = await startDevice(takesAtMost(60), { pipelineDepth: 4 });
  const read = device.prepare(0, 1000);
  assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 1000));
  await read.read(noDeadline());
  assert.equal((await device.lengthsOf(read)).length, 17);
});

test('the bytes of a channel are shown by a device that takes one register at a time', async () => {
  await using device = await startDevice(takesAtMost(1));
  const { driver } = device.underTest;
  assert.ok(isInspecting(driver));
  const inspection = await driver.inspect(createChannel({ offset: 7 }), noDeadline());
  assert.ok('bytes' in inspection);
  assert.deepEqual([...inspection.bytes], [0, 7]);
});

test(
  'a pymodbus server that refuses requests for more than 40 registers is read whole',
  needs('pymodbus'),
  async () => {
    const server = await startPymodbusServer('tcp', 'limited');
    try {
      await using underTest = await connectDriver(server.port);
      const read = underTest.driver.prepareRead(createRegisterChannels(0, 400));
      assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 400));
      for (let turn = 0; turn < 5; turn += 1) await read.read(noDeadline());
      await server.countRequests();
      await read.read(noDeadline());
      assert.equal(await server.countRequests(), 10);
    } finally {
      await server.close();
    }
  },
);

for (const transport of ['rtu', 'ascii'] as const) {
  test(`the same over a line in mode ${transport}`, needs('pymodbus', 'socat'), async () => {
    await using pair = await openSerialPair();
    const server = await startPymodbusServer(transport, pair.instrument, 'limited');
    try {
      await using underTest = await connectDriverTo({
        transport,
        device: pair.gateway,
        dataBits: 8,
        parity: 'none',
      });
      const read = underTest.driver.prepareRead(createRegisterChannels(0, 100));
      assert.deepEqual(valuesOf(await read.read(noDeadline())), range(0, 100));
      await server.countRequests();
      await read.read(noDeadline());
      assert.ok((await server.countRequests()) <= 5);
    } finally {
      await server.close();
    }
  });
}
