import assert from 'node:assert/strict';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { rtuFraming } from '../../../drivers/modbus/pdu/serial-framing.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrameOf, startSerialSlave } from '../../support/modbus-serial-slave.ts';
import type { SerialSlave } from '../../support/modbus-serial-slave.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('socat');

const TIMEOUT_MS = 600;

function connect(device: string, settings: object = {}): Promise<DriverUnderTest> {
  return connectDriverTo({
    transport: 'rtu',
    device,
    baudRate: 115_200,
    parity: 'none',
    responseTimeoutMs: TIMEOUT_MS,
    ...settings,
  });
}

async function read({ driver }: DriverUnderTest, unitId: number, offset: number): Promise<Reading> {
  const [reading] = await driver.prepareRead([createChannel({ unitId, offset })]).read(noDeadline());
  assert.ok(reading);
  return reading;
}

test('an answer that comes just after the time-out is never taken for that of the next request', async () => {
  let isLate = true;
  await using slave = await startSerialSlave((request, send) => {
    if (!isLate) send(answerFrameOf(request));
  });
  await using underTest = await connect(slave.device);
  for (let turn = 0; turn < 10; turn += 1) {
    isLate = true;
    const late = await read(underTest, 7, 2 * turn);
    assert.equal(late.failure?.code, 'MODBUS_NO_RESPONSE');
    const request = slave.requests.at(-1);
    assert.ok(request);
    slave.send(answerFrameOf(request));
    isLate = false;
    assert.equal((await read(underTest, 7, 2 * turn + 1)).value, 2 * turn + 1);
  }
  assert.equal(underTest.driver.counters()['lateFrames'], 10);
});

test('an answer that comes while another unit is asked is dropped, and the other one is right', async () => {
  let late: Buffer | undefined;
  await using slave = await startSerialSlave((request, send) => {
    if (request.unitId === 7 && late === undefined) late = answerFrameOf(request);
    else if (request.unitId === 8) send(Buffer.concat([late ?? Buffer.alloc(0), answerFrameOf(request)]));
    else send(answerFrameOf(request));
  });
  await using underTest = await connect(slave.device);
  assert.equal((await read(underTest, 7, 1)).failure?.code, 'MODBUS_NO_RESPONSE');
  assert.equal((await read(underTest, 8, 2)).value, 2);
  assert.equal((await read(underTest, 7, 3)).value, 3);
  assert.equal(underTest.driver.counters()['lateFrames'], 1);
});

test('a unit that missed its time holds up itself only', async () => {
  await using slave = await startSerialSlave((request, send) => {
    if (request.index > 0) send(answerFrameOf(request));
  });
  await using underTest = await connect(slave.device);
  await read(underTest, 7, 1);
  const order: number[] = [];
  await Promise.all(
    [7, 8, 9].map(async (unitId) => {
      await read(underTest, unitId, 5);
      order.push(unitId);
    }),
  );
  assert.deepEqual(order, [8, 9, 7]);
});

/**
 * A slave that leaves the first request unanswered until the next one comes, or until `sendLate`: whichever is first.
 */
async function startBelatedSlave(): Promise<SerialSlave & { sendLate(): void }> {
  let late: Buffer = Buffer.alloc(0);
  const takeLate = (): Buffer => {
    const taken = late;
    late = Buffer.alloc(0);
    return taken;
  };
  const slave = await startSerialSlave((request, send) => {
    if (request.index === 0) late = answerFrameOf(request);
    else send(Buffer.concat([takeLate(), answerFrameOf(request)]));
  });
  return Object.assign(slave, { sendLate: () => slave.send(takeLate()) });
}

test('a late answer to a read that was abandoned is not taken for that of the next one', async () => {
  await using slave = await startBelatedSlave();
  await using underTest = await connect(slave.device, { responseTimeoutMs: 1000 });
  const deadline = new AbortController();
  const abandoned = underTest.driver
    .prepareRead([createChannel({ unitId: 7, offset: 1 })])
    .read(deadline.signal);
  await slave.received(1);
  deadline.abort();
  assert.equal((await abandoned)[0]?.failure?.code, 'DEADLINE_EXCEEDED');
  const next = read(underTest, 7, 2);
  setTimeout(() => slave.sendLate(), 50);
  assert.equal((await next).value, 2);
});

test('a late answer that comes over a link that was opened again is not taken for that of the next request', async () => {
  await using slave = await startBelatedSlave();
  await using underTest = await connect(slave.device, { responseTimeoutMs: 1000 });
  const lost = read(underTest, 7, 1);
  await slave.received(1);
  await underTest.driver.disconnect();
  await assert.rejects(lost, { code: 'NOT_CONNECTED' });
  await underTest.driver.connect(noDeadline(), () => undefined);
  const next = read(underTest, 7, 2);
  setTimeout(() => slave.sendLate(), 50);
  assert.equal((await next).value, 2);
});

test('a retry comes after the late answer, and brings its own', async () => {
  await using slave = await startSerialSlave((request, send) => {
    if (request.index > 0) send(answerFrameOf(request));
  });
  await using underTest = await connect(slave.device, { retries: 1 });
  const reading = read(underTest, 7, 4);
  while (underTest.driver.counters()['timeouts'] !== 1) await new Promise((resolve) => setImmediate(resolve));
  slave.send(rtuFraming.encode(7, Buffer.from([3, 2, 9, 9])));
  assert.equal((await reading).value, 4);
  assert.equal(slave.requests.length, 2);
});

test('a second answer to the same request is not taken for that of the next one', async () => {
  await using slave = await startSerialSlave((request, send) => {
    const frame = answerFrameOf(request);
    send(request.index === 0 ? Buffer.concat([frame, frame]) : frame);
  });
  await using underTest = await connect(slave.device, { responseTimeoutMs: 5000 });
  assert.equal((await read(underTest, 7, 1)).value, 1);
  assert.equal((await read(underTest, 7, 2)).value, 2);
});
