import assert from 'node:assert/strict';
import { createReason } from '../../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../../../../drivers/modbus/failure-sentences.ts';
import { test } from 'node:test';
import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import type { Reading } from '../../../../daemon/channel/driver.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../../support/modbus-driver-under-test.ts';
import {
  answerFrame,
  answerPdu,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../../support/modbus-fault-server.ts';
import type { FaultConnection, FaultRequest } from '../../../support/modbus-fault-server.ts';

const CHANNEL = createChannel({ unitId: 7, offset: 21 });

function read({ driver }: DriverUnderTest, signal = noDeadline()): Promise<readonly Reading[]> {
  return driver.prepareRead([CHANNEL]).read(signal);
}

function answer(request: FaultRequest, connection: FaultConnection): void {
  connection.send(answerFrame(request));
}

test('a silent server ends a read after responseTimeoutMs', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock, responseTimeoutMs: 400 });
  const reading = read(underTest);
  await server.received(1);
  clock.advance(400);
  assert.deepEqual((await reading)[0]?.failure, {
    code: 'MODBUS_NO_RESPONSE',
    message: 'unit 7 did not respond within 400 ms',
    reasons: [createReason(MODBUS_FAILURES, 'UNIT_SILENT', { unit: 7, timeoutMs: 400 })],
  });
  assert.equal(server.requests.length, 1);
});

test('a time-out drops the socket over which answers came, and the next read has a new one', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.connection > 0 || request.index === 0) answer(request, connection);
  });
  await using underTest = await connectDriver(server.port, { clock });
  await read(underTest);
  const first = read(underTest);
  await server.received(2);
  clock.advance(1000);
  await first;
  const [second] = await read(underTest);
  assert.equal(second?.value, 21);
  assert.equal(server.connectionCount(), 2);
});

test('a reset under a read ends it without waiting for the time-out, and it is sent once more', async () => {
  await using server = await startFaultServer((request, connection) => {
    if (request.connection === 0) connection.reset();
    else answer(request, connection);
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const [reading] = await read(underTest);
  assert.equal(reading?.value, 21);
  assert.equal(server.requests.length, 2);
});

test('a server that resets every read gets it twice, then the link is reported as lost', async () => {
  await using server = await startFaultServer((_, connection) => connection.reset());
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  await assert.rejects(read(underTest), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.equal(error.code, 'MODBUS_LINK_LOST');
    return true;
  });
  assert.equal(server.requests.length, 2);
});

test('a reset after any byte of an answer brings the value by the second try', async () => {
  const frameBytes = 7 + 4;
  for (let position = 0; position < frameBytes; position += 1) {
    await using server = await startFaultServer((request, connection) => {
      if (request.connection > 0) return answer(request, connection);
      void connection.sendAlone(answerFrame(request).subarray(0, position)).then(() => connection.reset());
    });
    await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
    const [reading] = await read(underTest);
    assert.equal(reading?.value, 21, `after ${position} bytes`);
  }
});

test('a disconnect ends a read that is under way', async () => {
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const reading = read(underTest);
  await server.received(1);
  await underTest.driver.disconnect();
  await assert.rejects(reading, { code: 'NOT_CONNECTED' });
});

test('half an answer and then silence is a time-out, and the half is thrown away', async () => {
  const clock = new ManualClock();
  const sent: Promise<void>[] = [];
  await using server = await startFaultServer((request, connection) => {
    sent.push(
      connection.sendAlone(answerFrame(request).subarray(0, request.connection === 0 ? 9 : undefined)),
    );
  });
  await using underTest = await connectDriver(server.port, { clock });
  const first = read(underTest);
  await server.received(1);
  await Promise.all(sent);
  clock.advance(1000);
  assert.equal((await first)[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
  assert.equal((await read(underTest))[0]?.value, 21);
});

test('an answer that comes byte by byte is read', async () => {
  await using server = await startFaultServer((request, connection) => {
    void (async () => {
      for (const byte of answerFrame(request)) await connection.sendAlone(Buffer.from([byte]));
    })();
  });
  await using underTest = await connectDriver(server.port);
  assert.equal((await read(underTest))[0]?.value, 21);
});

test('the time-out limits the whole answer, not the time between two bytes', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    void (async () => {
      for (const byte of answerFrame(request)) {
        await connection.sendAlone(Buffer.from([byte]));
        clock.advance(300);
      }
    })();
  });
  await using underTest = await connectDriver(server.port, { clock });
  assert.equal((await read(underTest))[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
});

test('an answer with another transaction identifier is dropped and counted', async () => {
  await using server = await startFaultServer((request, connection) => {
    const foreign = { ...request, transactionId: request.transactionId ^ 1, pdu: Buffer.from([3, 2, 9, 9]) };
    connection.send(Buffer.concat([createFrame(foreign), answerFrame(request)]));
  });
  await using underTest = await connectDriver(server.port);
  assert.equal((await read(underTest))[0]?.value, 21);
  assert.equal(underTest.driver.counters()['strayAnswers'], 1);
});

test('300 reads in a row carry 300 transaction identifiers', async () => {
  await using server = await startFaultServer(answer);
  await using underTest = await connectDriver(server.port);
  const prepared = underTest.driver.prepareRead([CHANNEL]);
  for (let turn = 0; turn < 300; turn += 1) await prepared.read(noDeadline());
  assert.equal(new Set(server.requests.map(({ transactionId }) => transactionId)).size, 300);
});

const ILLEGAL_ANSWERS: Readonly<Record<string, (request: FaultRequest) => Buffer>> = {
  'protocol identifier 1': (request) => createFrame({ ...request, pdu: answerPdu(request), protocolId: 1 }),
  'length 0': (request) => createFrame({ ...request, pdu: answerPdu(request), length: 0 }),
  'length 1': (request) => createFrame({ ...request, pdu: answerPdu(request), length: 1 }),
  'length 255': (request) => createFrame({ ...request, pdu: answerPdu(request), length: 255 }),
  'length 65535': (request) => createFrame({ ...request, pdu: answerPdu(request), length: 65_535 }),
  'another unit': (request) => createFrame({ ...request, unitId: 8, pdu: answerPdu(request) }),
  'another function': (request) => createFrame({ ...request, pdu: Buffer.from([4, 2, 0, 21]) }),
  'an exception to another function': (request) => createFrame({ ...request, pdu: Buffer.from([0x84, 2]) }),
  'a byte count that is too small': (request) => createFrame({ ...request, pdu: Buffer.from([3, 0]) }),
  'a byte count that is too large': (request) =>
    createFrame({ ...request, pdu: Buffer.from([3, 4, 0, 21, 0, 22]) }),
  'a byte count that lies': (request) => createFrame({ ...request, pdu: Buffer.from([3, 2, 0, 21, 0, 22]) }),
  'a function code alone': (request) => createFrame({ ...request, pdu: Buffer.from([3]) }),
  'an exception of three bytes': (request) => createFrame({ ...request, pdu: Buffer.from([0x83, 2, 0]) }),
  garbage: () => Buffer.alloc(1_000_000, 0xa7),
};

for (const [fault, createAnswer] of Object.entries(ILLEGAL_ANSWERS)) {
  test(`an answer with ${fault} is refused at once, and the next read is right`, async () => {
    await using server = await startFaultServer((request, connection) => {
      connection.send(request.connection === 0 ? createAnswer(request) : answerFrame(request));
    });
    await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
    assert.equal((await read(underTest))[0]?.failure?.code, 'MODBUS_INVALID_RESPONSE');
    assert.equal((await read(underTest))[0]?.value, 21);
    assert.equal(underTest.driver.counters()['invalidAnswers'], 1);
  });
}

test('answers that come twice or unasked are ignored and counted', async () => {
  await using server = await startFaultServer((request, connection) => {
    const unasked = createFrame({ transactionId: 40_000, unitId: 7, pdu: Buffer.from([3, 2, 9, 9]) });
    connection.send(Buffer.concat([answerFrame(request), answerFrame(request), unasked]));
  });
  await using underTest = await connectDriver(server.port);
  await read(underTest);
  assert.equal((await read(underTest))[0]?.value, 21);
  assert.ok((underTest.driver.counters()['strayAnswers'] ?? 0) >= 2);
  assert.equal(server.connectionCount(), 1);
});

test('a server that sends answers without end is dropped', async () => {
  await using server = await startFaultServer((request, connection) => {
    if (request.connection > 0) return answer(request, connection);
    const unasked = createFrame({ transactionId: 40_000, unitId: 7, pdu: Buffer.from([3, 2, 9, 9]) });
    connection.send(Buffer.concat(Array.from({ length: 2000 }, () => unasked)));
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  assert.equal((await read(underTest))[0]?.failure?.code, 'MODBUS_INVALID_RESPONSE');
  assert.equal((await read(underTest))[0]?.value, 21);
});

test('a late answer is never taken for the answer to the next request', async () => {
  const clock = new ManualClock();
  const late: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    if (request.index > 0) return answer(request, connection);
    late.push(() => connection.send(createFrame({ ...request, pdu: Buffer.from([3, 2, 9, 9]) })));
  });
  await using underTest = await connectDriver(server.port, { clock });
  const first = read(underTest);
  await server.received(1);
  clock.advance(1000);
  await first;
  for (const send of late) send();
  assert.equal((await read(underTest))[0]?.value, 21);
});

for (const exceptionCode of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255]) {
  test(`exception ${exceptionCode} fails the channel and keeps the link`, async () => {
    await using server = await startFaultServer((request, connection) => {
      connection.send(exceptionFrame(request, exceptionCode));
    });
    await using underTest = await connectDriver(server.port, { clock: new ManualClock(), busyRetries: 0 });
    await read(underTest);
    const [reading] = await read(underTest);
    const digits = exceptionCode.toString(16).toUpperCase().padStart(2, '0');
    assert.ok(reading?.failure?.message.startsWith(`unit 7 returned exception ${digits}`));
    assert.equal(server.connectionCount(), 1);
  });
}

test('one silent unit of ten costs only its own channels their values', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.unitId !== 4) answer(request, connection);
  });
  await using underTest = await connectDriver(server.port, { clock });
  const channels = Array.from({ length: 10 }, (_, index) => createChannel({ unitId: index + 1, offset: 5 }));
  const reading = underTest.driver.prepareRead(channels).read(noDeadline());
  await server.received(4);
  clock.advance(1000);
  const failed = (await reading).flatMap(({ failure }, index) => (failure === undefined ? [] : [index + 1]));
  assert.deepEqual(failed, [4]);
});

test('two silent units in one read cost the others nothing', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.unitId > 2) answer(request, connection);
  });
  await using underTest = await connectDriver(server.port, { clock });
  const channels = [1, 2, 3].map((unitId) => createChannel({ unitId, offset: 5 }));
  const reading = underTest.driver.prepareRead(channels).read(noDeadline());
  await server.received(1);
  clock.advance(1000);
  await server.received(2);
  clock.advance(1000);
  assert.equal((await reading)[2]?.value, 5);
});

test('a unit that does not answer is waited for twice, however many requests a read has', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock });
  const reading = underTest.driver.prepareRead(createRegisterChannels(0, 1000)).read(noDeadline());
  for (const count of [1, 2]) {
    await server.received(count);
    clock.advance(1000);
  }
  const codes = new Set((await reading).map(({ failure }) => failure?.code));
  assert.deepEqual([...codes], ['MODBUS_NO_RESPONSE', 'MODBUS_UNIT_SUSPENDED']);
  assert.equal(server.requests.length, 2);
});

test('reads of many units at once bring each its own values', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(createFrame({ ...request, pdu: Buffer.from([3, 2, 0, request.unitId]) }));
  });
  await using underTest = await connectDriver(server.port);
  const units = [1, 2, 3, 200, 0, 255];
  const readings = await Promise.all(
    units.map((unitId) => underTest.driver.prepareRead([createChannel({ unitId })]).read(noDeadline())),
  );
  assert.deepEqual(
    readings.map(([reading]) => reading?.value),
    units,
  );
});

test('the deadline of a call fails its channels and frees the line for the next', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.index > 0) answer(request, connection);
  });
  await using underTest = await connectDriver(server.port, { clock });
  const deadline = new AbortController();
  const first = read(underTest, deadline.signal);
  const second = read(underTest);
  await server.received(1);
  deadline.abort(new Error('no answer in time'));
  assert.deepEqual((await first)[0]?.failure, { code: 'DEADLINE_EXCEEDED', message: 'no answer in time' });
  assert.equal((await second)[0]?.value, 21);
});

test('a deadline that passes while a read waits for its turn sends nothing', async () => {
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const first = read(underTest);
  const deadline = new AbortController();
  const second = read(underTest, deadline.signal);
  await server.received(1);
  deadline.abort();
  assert.equal((await second)[0]?.failure?.code, 'DEADLINE_EXCEEDED');
  assert.equal(server.requests.length, 1);
  await underTest.driver.disconnect();
  await assert.rejects(first);
});

test('time-outs and reconnects leave no socket behind', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((_, connection) => connection.reset());
  await using underTest = await connectDriver(server.port, { clock });
  for (let turn = 0; turn < 50; turn += 1) await assert.rejects(read(underTest));
  await underTest.driver.connect(noDeadline(), () => undefined);
  await underTest.driver.connect(noDeadline(), () => undefined);
  await assert.rejects(read(underTest));
  assert.ok(server.openConnectionCount() <= 1, `${server.openConnectionCount()} are open`);
});

test('a pause between requests is kept', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(answer);
  await using underTest = await connectDriver(server.port, { clock, delayBetweenRequestsMs: 30 });
  const reading = underTest.driver.prepareRead(createRegisterChannels(0, 126)).read(noDeadline());
  await server.received(1);
  while (underTest.driver.counters()['answers'] !== 1) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(29);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(server.requests.length, 1);
  clock.advance(1);
  assert.equal((await reading)[125]?.value, 125);
});

test('registers that a device is given later are found within 5 minutes', async () => {
  const clock = new ManualClock();
  let hasAll = false;
  await using server = await startFaultServer((request, connection) => {
    const offset = request.pdu.readUInt16BE(1);
    const isRefused = !hasAll && offset <= 6 && offset + request.pdu.readUInt16BE(3) > 5;
    connection.send(isRefused ? exceptionFrame(request, 2) : answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock });
  const prepared = underTest.driver.prepareRead(createRegisterChannels(0, 10));
  const isComplete = async (): Promise<boolean> =>
    (await prepared.read(noDeadline())).every(({ failure }) => failure === undefined);
  assert.equal(await isComplete(), false);
  hasAll = true;
  clock.advance(300_000);
  assert.equal(await isComplete(), true);
});

test('registers that hold no UTF-8 fail their own channel, and the others of the same answer have their values', async () => {
  await using server = await startFaultServer((request, connection) => {
    const registers = Buffer.from('50756d7050ff6d70', 'hex');
    const { transactionId, unitId } = request;
    connection.send(
      createFrame({ transactionId, unitId, pdu: Buffer.from([3, registers.length, ...registers]) }),
    );
  });
  await using underTest = await connectDriver(server.port);
  const channels = [0, 2].map((offset) => createChannel({ offset, dataType: 'STRING', length: 4 }, 'STRING'));
  const [sound, broken] = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.equal(sound?.value, 'Pump');
  assert.equal(broken?.value, undefined);
  assert.equal(broken?.failure?.code, 'VALUE_NOT_TEXT');
});
