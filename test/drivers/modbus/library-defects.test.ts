import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FUNCTIONS } from '../../../drivers/modbus/pdu/modbus-functions.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, createFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import { answerFrameOf, startSerialSlave } from '../../support/modbus-serial-slave.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

// Defects of modbus-serial 8.0.25 on its own, and the behaviour of the driver; in the order of the experiments.

const RTU = { transport: 'rtu', baudRate: 115_200, parity: 'none', responseTimeoutMs: 1000 } as const;

async function readOne({ driver }: DriverUnderTest, unitId = 1, offset = 21): Promise<unknown> {
  const [reading] = await driver.prepareRead([createChannel({ unitId, offset })]).read(noDeadline());
  return reading?.value ?? reading?.failure?.code;
}

test('1. the library has no time-out: a silent server ends a call after responseTimeoutMs', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock });
  const reading = readOne(underTest);
  await server.received(1);
  clock.advance(1000);
  assert.equal(await reading, 'MODBUS_NO_RESPONSE');
});

test('2. a lost connection does not end calls: a call ends with its connection, without a time-out', async () => {
  await using server = await startFaultServer((_, connection) => connection.end());
  await using underTest = await connectDriver(server.port, { clock: new ManualClock(), retries: 0 });
  await assert.rejects(readOne(underTest), { code: 'MODBUS_LINK_LOST' });
});

test('3. the library does not report a reset: an idle connection that is reset is reported', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  await readOne(underTest);
  server.forEachConnection((connection) => connection.reset());
  while (underTest.losses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(underTest.losses[0]?.message ?? '', /ECONNRESET/);
});

test('4. closing leaves calls pending: disconnect ends the call under way and those that wait', async () => {
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const calls = [readOne(underTest, 1), readOne(underTest, 2)];
  await server.received(1);
  await underTest.driver.disconnect();
  const ended = await Promise.allSettled(calls);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});

test('5. connecting goes on after its time-out: an attempt that is given up leaves no socket', async () => {
  await using server = await startFaultServer(() => undefined);
  const stopped = new AbortController();
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  await underTest.driver.disconnect();
  const connecting = underTest.driver.connect(stopped.signal, () => undefined);
  stopped.abort(new Error('given up'));
  await assert.rejects(connecting, { code: 'CONNECT_ABORTED' });
  while (server.openConnectionCount() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('6. transaction identifiers wrap at 256: 300 calls have 300 of them, and each its own answer', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port, { pipelineDepth: 16 });
  const channels = Array.from({ length: 300 }, (_, index) => createChannel({ offset: 2 * index }));
  const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    channels.map(({ address }) => address.offset),
  );
  assert.equal(new Set(server.requests.map(({ transactionId }) => transactionId)).size, 300);
});

test('7. in RTU mode a late answer shifts all that follow: it is thrown away', needs('socat'), async () => {
  await using slave = await startSerialSlave((request, send) => {
    if (request.index > 0) send(answerFrameOf(request));
  });
  await using underTest = await connectDriverTo({ ...RTU, device: slave.device });
  assert.equal(await readOne(underTest, 1, 1), 'MODBUS_NO_RESPONSE');
  for (const request of slave.requests) slave.send(answerFrameOf(request));
  assert.deepEqual([await readOne(underTest, 1, 2), await readOne(underTest, 1, 3)], [2, 3]);
});

test(
  '8. in RTU mode calls at the same time spoil each other: they go one after the other',
  needs('socat'),
  async () => {
    let pending = 0;
    await using slave = await startSerialSlave((request, send) => {
      pending += 1;
      assert.equal(pending, 1);
      setImmediate(() => {
        pending -= 1;
        send(answerFrameOf(request));
      });
    });
    await using underTest = await connectDriverTo({ ...RTU, device: slave.device, responseTimeoutMs: 5000 });
    const values = await Promise.all([1, 2, 3, 4].map((offset) => readOne(underTest, 1, offset)));
    assert.deepEqual(values, [1, 2, 3, 4]);
  },
);

test('9. of several answers in one segment only the first is seen: all are', async () => {
  const held: Buffer[] = [];
  await using server = await startFaultServer((request, connection) => {
    held.push(answerFrame(request));
    if (held.length === 5) connection.send(Buffer.concat(held));
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock(), pipelineDepth: 5 });
  const readings = await underTest.driver.prepareRead(createRegisterChannels(0, 625)).read(noDeadline());
  assert.ok(readings.every(({ failure }) => failure === undefined));
});

test('10. an answer in parts ends the process: an answer of another function is refused', async () => {
  await using server = await startFaultServer((request, connection) => {
    // Read Device Identification with "more follows" (V1.1b3, 6.21).
    const pdu = Buffer.from([43, 14, 1, 1, 0xff, 1, 1, 0, 1, 65]);
    connection.send(createFrame({ ...request, pdu }));
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  assert.equal(await readOne(underTest), 'MODBUS_INVALID_RESPONSE');
});

test('11. a false length blocks for ever: it is refused at once, and so is another protocol', async () => {
  for (const fault of [{ length: 65_535 }, { protocolId: 7 }]) {
    await using server = await startFaultServer((request, connection) => {
      const frame = { ...request, pdu: Buffer.from([3, 2, 0, 21]) };
      connection.send(request.connection === 0 ? createFrame({ ...frame, ...fault }) : createFrame(frame));
    });
    await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
    assert.equal(await readOne(underTest), 'MODBUS_INVALID_RESPONSE');
    assert.equal(await readOne(underTest), 21);
  }
});

test('12. the unit is state of the connection: calls at the same time reach each its own', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(createFrame({ ...request, pdu: Buffer.from([3, 2, 0, request.unitId]) }));
  });
  await using underTest = await connectDriver(server.port, { pipelineDepth: 4 });
  const values = await Promise.all([1, 2, 3].map((unitId) => readOne(underTest, unitId)));
  assert.deepEqual(values, [1, 2, 3]);
});

test('13. no limits and cut fractions: reads keep the limit, fractions are rounded, the rest is refused', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  await underTest.driver.prepareRead(createRegisterChannels(0, 200)).read(noDeadline());
  const quantities = server.requests.map(({ pdu }) => pdu.readUInt16BE(3));
  assert.ok(quantities.every((quantity) => quantity <= FUNCTIONS[3].maximumQuantity));
  const channel = createChannel({ offset: 5 });
  const before = server.requests.length;
  const requests = [1.6, 65_536, -1].map((value) => ({ channel, value }));
  const outcomes = await writeValues(underTest.driver, requests, noDeadline());
  assert.deepEqual(
    outcomes.map(({ failure }) => failure?.code),
    [undefined, 'VALUE_OUT_OF_RANGE', 'VALUE_OUT_OF_RANGE'],
  );
  assert.deepEqual(
    server.requests.slice(before).map(({ pdu }) => pdu.readUInt16BE(3)),
    [2],
  );
});

test(
  '14. a broadcast times out and bits come in eights: it is done when sent, and bits are as many as asked',
  needs('socat'),
  async () => {
    await using slave = await startSerialSlave((request, send) => {
      if (request.unitId !== 0) send(answerFrameOf(request));
    });
    await using underTest = await connectDriverTo({ ...RTU, device: slave.device });
    const channel = createChannel({ unitId: 0, offset: 5 });
    const [outcome] = await writeValues(underTest.driver, [{ channel, value: 1 }], noDeadline());
    assert.equal(outcome?.failure, undefined);
    const coils = [0, 1, 2].map((offset) => createChannel({ table: 'COILS', offset }, 'BOOLEAN'));
    const readings = await underTest.driver.prepareRead(coils).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value }) => value),
      [false, false, false],
    );
  },
);

test(
  '15. cut frames are refused and byte counts believed: frames are put together, byte counts are checked',
  needs('socat'),
  async () => {
    await using slave = await startSerialSlave((request, send) => {
      const frame = answerFrameOf(request);
      if (request.index === 0) frame[2] = 0xff;
      for (const byte of frame) send(Buffer.from([byte]));
    });
    await using underTest = await connectDriverTo({ ...RTU, device: slave.device });
    assert.equal(await readOne(underTest), 'MODBUS_INVALID_RESPONSE');
    assert.equal(await readOne(underTest), 21);
  },
);

test('16. reopening leaks the old socket: 50 connects leave one', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  for (let turn = 0; turn < 50; turn += 1) await underTest.driver.connect(noDeadline(), () => undefined);
  await readOne(underTest);
  while (server.openConnectionCount() > 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(server.openConnectionCount(), 1);
});
