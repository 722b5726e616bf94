import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import { answerFrame, createFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultConnection, FaultRequest } from '../../support/modbus-fault-server.ts';
import { writeValues } from '../../support/write-values.ts';

/** Holds requests back until the given number is there, and answers them in reverse. */
function answerInReverse(count: number): (request: FaultRequest, connection: FaultConnection) => void {
  const held: FaultRequest[] = [];
  return (request, connection) => {
    held.push(request);
    if (held.length < count) return;
    for (const one of held.splice(0).toReversed()) connection.send(answerFrame(one));
  };
}

test('the requests of a read are under way together, and answers in any order find theirs', async () => {
  await using server = await startFaultServer(answerInReverse(8));
  await using underTest = await connectDriver(server.port, { pipelineDepth: 8 });
  const readings = await underTest.driver.prepareRead(createRegisterChannels(0, 1000)).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value }) => value),
    Array.from({ length: 1000 }, (_, index) => index),
  );
});

test('no more requests are under way than pipelineDepth allows', async () => {
  let underWay = 0;
  let most = 0;
  await using server = await startFaultServer((request, connection) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setImmediate(() => {
      underWay -= 1;
      connection.send(answerFrame(request));
    });
  });
  await using underTest = await connectDriver(server.port, { pipelineDepth: 3 });
  await Promise.all(
    [1, 2, 3].map((unitId) => {
      const channels = Array.from({ length: 10 }, (_, index) => createChannel({ unitId, offset: 2 * index }));
      return underTest.driver.prepareRead(channels).read(noDeadline());
    }),
  );
  assert.equal(most, 3);
});

test('a time-out of one request leaves the answers to the others, and the link', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.unitId !== 2) connection.send(answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock, pipelineDepth: 4 });
  const channels = [1, 2, 3, 4].map((unitId) => createChannel({ unitId, offset: unitId }));
  const reading = underTest.driver.prepareRead(channels).read(noDeadline());
  while (underTest.driver.counters()['answers'] !== 3) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  assert.deepEqual(
    (await reading).map(({ value, failure }) => value ?? failure?.code),
    [1, 'MODBUS_NO_RESPONSE', 3, 4],
  );
  assert.equal(server.connectionCount(), 1);
});

test('a late answer is dropped by its number while others are under way', async () => {
  const clock = new ManualClock();
  const late: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    if (request.index > 0) return connection.send(answerFrame(request));
    late.push(() => connection.send(createFrame({ ...request, pdu: Buffer.from([3, 2, 9, 9]) })));
  });
  await using underTest = await connectDriver(server.port, { clock, pipelineDepth: 2 });
  const first = underTest.driver.prepareRead([createChannel({ unitId: 1, offset: 1 })]).read(noDeadline());
  await server.received(1);
  await underTest.driver.prepareRead([createChannel({ unitId: 2, offset: 2 })]).read(noDeadline());
  clock.advance(1000);
  assert.equal((await first)[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
  for (const send of late) send();
  const next = await underTest.driver
    .prepareRead([createChannel({ unitId: 1, offset: 3 })])
    .read(noDeadline());
  assert.equal(next[0]?.value, 3);
  assert.equal(underTest.driver.counters()['strayAnswers'], 1);
});

test('a unit that leaves several requests of one read unanswered was silent once', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock, pipelineDepth: 4 });
  const reading = underTest.driver.prepareRead(createRegisterChannels(0, 500)).read(noDeadline());
  await server.received(4);
  clock.advance(1000);
  await reading;
  assert.equal(underTest.driver.unitStatus()[0]?.state, 'UNKNOWN');
});

test('writes go out one after the other', async () => {
  const answers: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    answers.push(() => connection.send(answerFrame(request)));
  });
  await using underTest = await connectDriver(server.port, { pipelineDepth: 8 });
  const write = (value: number): Promise<unknown> =>
    writeValues(underTest.driver, [{ channel: createChannel({ offset: 5 }), value }], noDeadline());
  const writing = [write(1), write(2), write(3)];
  for (let count = 1; count <= 3; count += 1) {
    await server.received(count);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.requests.length, count);
    answers[count - 1]?.();
  }
  await Promise.all(writing);
  assert.deepEqual(
    server.requests.map(({ pdu }) => pdu.readUInt16BE(3)),
    [1, 2, 3],
  );
});

test('a reset under several requests sends the reads again over one new connection', async () => {
  await using server = await startFaultServer((request, connection) => {
    if (request.connection > 0) connection.send(answerFrame(request));
    else if (request.index === 3) connection.reset();
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock(), pipelineDepth: 4 });
  const readings = await underTest.driver.prepareRead(createRegisterChannels(0, 500)).read(noDeadline());
  assert.equal(readings.filter(({ failure }) => failure === undefined).length, 500);
  assert.equal(server.connectionCount(), 2);
});
