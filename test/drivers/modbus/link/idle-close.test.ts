import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../../support/modbus-driver-under-test.ts';
import {
  answerFrame,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../../support/modbus-fault-server.ts';
import type { FaultServer } from '../../../support/modbus-fault-server.ts';
import { startPymodbusServer } from '../../../support/pymodbus-server.ts';
import { needs } from '../../../support/tests-that-need.ts';
import { writeValues } from '../../../support/write-values.ts';

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function read({ driver }: DriverUnderTest, first = 0, count = 300): Promise<void> {
  const readings = await driver.prepareRead(createRegisterChannels(first, count)).read(noDeadline());
  assert.equal(readings.filter(({ failure }) => failure !== undefined).length, 0);
}

async function startServer(): Promise<FaultServer> {
  return startFaultServer((request, connection) => connection.send(answerFrame(request)));
}

test('with closeAfterIdleMs 0 the connection is closed after each call, and not between the requests of one', async () => {
  const clock = new ManualClock();
  await using server = await startServer();
  await using underTest = await connectDriver(server.port, { clock, closeAfterIdleMs: 0 });
  for (let turn = 1; turn <= 3; turn += 1) {
    await read(underTest);
    assert.equal(server.connectionCount(), turn);
    clock.advance(0);
    await until(() => server.openConnectionCount() === 0);
  }
  assert.equal(underTest.losses.length, 0);
  assert.equal(underTest.driver.counters()['linkLosses'], 0);
  const outcome = await writeValues(underTest.driver, [{ channel: createChannel(), value: 1 }], noDeadline());
  assert.equal(outcome[0]?.failure, undefined);
  assert.equal(server.connectionCount(), 4);
});

test('the time begins again with each request, and a request under way keeps the connection open', async () => {
  const clock = new ManualClock();
  let isHeld = false;
  const owed: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    if (isHeld) owed.push(() => connection.send(answerFrame(request)));
    else connection.send(answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock, closeAfterIdleMs: 500 });
  await read(underTest);
  clock.advance(499);
  await read(underTest);
  clock.advance(499);
  isHeld = true;
  const reading = read(underTest, 0, 1);
  await until(() => owed.length === 1);
  clock.advance(600);
  for (const send of owed) send();
  await reading;
  assert.equal(server.connectionCount(), 1);
  clock.advance(500);
  await until(() => server.openConnectionCount() === 0);
});

test('a unit that answers only after its probe has ended is back, although the connection is closed when idle', async () => {
  const clock = new ManualClock();
  const owed: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    owed.push(() => connection.send(answerFrame(request)));
  });
  await using underTest = await connectDriver(server.port, {
    clock,
    closeAfterIdleMs: 0,
    responseTimeoutMs: 1000,
  });
  const stateOf = (): string | undefined => underTest.driver.unitStatus()[0]?.state;
  const prepared = underTest.driver.prepareRead(createRegisterChannels(0, 1));
  while (stateOf() !== 'SUSPENDED') {
    const asked = owed.length;
    const reading = prepared.read(noDeadline());
    await until(() => owed.length > asked);
    clock.advance(1000);
    await reading;
  }
  const asked = owed.length;
  clock.advance(4000);
  await until(() => owed.length > asked);
  const timeouts = underTest.driver.counters()['timeouts'] ?? 0;
  clock.advance(100);
  await until(() => underTest.driver.counters()['timeouts'] === timeouts + 1);
  clock.advance(0);
  owed.at(-1)?.();
  await until(() => stateOf() === 'ANSWERING');
  clock.advance(10_000);
  await until(() => server.openConnectionCount() === 0);
});

test('without the setting the connection stays open', async () => {
  const clock = new ManualClock();
  await using server = await startServer();
  await using underTest = await connectDriver(server.port, { clock });
  await read(underTest);
  clock.advance(3_600_000);
  await read(underTest);
  assert.equal(server.connectionCount(), 1);
});

test('what is known of missing registers outlives a connection that was closed by choice', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    const offset = request.pdu.readUInt16BE(1);
    const isRefused = offset <= 7 && offset + request.pdu.readUInt16BE(3) > 7;
    connection.send(isRefused ? exceptionFrame(request, 2) : answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock, closeAfterIdleMs: 0 });
  const prepared = underTest.driver.prepareRead(createRegisterChannels(0, 20));
  await prepared.read(noDeadline());
  clock.advance(0);
  await until(() => server.openConnectionCount() === 0);
  const before = server.requests.length;
  await prepared.read(noDeadline());
  assert.equal(server.requests.length - before, 3);
});

for (const transport of ['tcp', 'rtu-over-tcp'] as const) {
  test(
    `a pymodbus server over ${transport} is shared by two masters that close when idle`,
    needs('pymodbus'),
    async () => {
      const server = await startPymodbusServer(transport);
      try {
        const settings = { transport, host: '127.0.0.1', port: server.port, closeAfterIdleMs: 0 } as const;
        await using first = await connectDriverTo(settings);
        await using second = await connectDriverTo(settings);
        for (let turn = 0; turn < 3; turn += 1) {
          await read(first);
          await read(second);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        assert.ok((first.driver.counters()['reconnects'] ?? 0) >= 2);
        assert.equal(first.losses.length + second.losses.length, 0);
      } finally {
        await server.close();
      }
    },
  );
}

for (const answered of [0, 1, 255]) {
  test(`a device that answers as unit ${answered} whatever was asked is read with ignoreUnitIdInAnswers`, async () => {
    await using server = await startFaultServer((request, connection) =>
      connection.send(createFrame({ ...request, unitId: answered, pdu: answerFrame(request).subarray(7) })),
    );
    await using underTest = await connectDriver(server.port, {
      ignoreUnitIdInAnswers: true,
      pipelineDepth: 4,
    });
    const channels = [7, 8, 9].map((unitId) => createChannel({ unitId, offset: unitId }));
    const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value }) => value),
      [7, 8, 9],
    );
    const outcome = await writeValues(
      underTest.driver,
      [{ channel: createChannel({ unitId: 7 }), value: 1 }],
      noDeadline(),
    );
    assert.equal(outcome[0]?.failure, undefined);
    assert.equal(server.connectionCount(), 1);
  });
}

test('without the setting the answer of another unit is refused, and the message names the setting', async () => {
  await using server = await startFaultServer((request, connection) =>
    connection.send(createFrame({ ...request, unitId: 255, pdu: answerFrame(request).subarray(7) })),
  );
  await using underTest = await connectDriver(server.port);
  const [reading] = await underTest.driver.prepareRead([createChannel({ unitId: 7 })]).read(noDeadline());
  assert.equal(reading?.failure?.code, 'MODBUS_INVALID_RESPONSE');
  assert.match(reading.failure.message, /unit identifier is 255/);
  assert.match(reading.failure.message, /ignoreUnitIdInAnswers/);
});

test('the setting is refused for lines, where it would mix up units', async () => {
  const settings = { transport: 'rtu-over-tcp', host: '127.0.0.1', port: 1, ignoreUnitIdInAnswers: true };
  await assert.rejects(connectDriverTo(settings as Parameters<typeof connectDriverTo>[0]));
});
