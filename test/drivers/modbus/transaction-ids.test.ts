import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';

function read({ driver }: DriverUnderTest, offset: number): Promise<readonly Reading[]> {
  return driver.prepareRead([createChannel({ offset })]).read(noDeadline());
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test('an answer with another transaction identifier is no value, and the failure says which one came', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    connection.send(answerFrame({ ...request, transactionId: 777 }));
  });
  await using underTest = await connectDriver(server.port, { clock });
  const reading = read(underTest, 7);
  await until(() => underTest.driver.counters()['strayAnswers'] === 1);
  clock.advance(1000);
  const [first] = await reading;
  assert.equal(first?.failure?.code, 'MODBUS_NO_RESPONSE');
  assert.equal(
    first.failure.message,
    'unit 1 did not respond within 1000 ms: received transaction identifier 777 instead of 1; ' +
      'if the device always does so, set ignoreTransactionId: true',
  );
});

for (const [name, toId] of [
  ['a constant identifier', () => 0],
  ['the identifier of the request before', (id: number) => id - 1],
] as const) {
  test(`a device that answers with ${name} is read with ignoreTransactionId, one request at a time`, async () => {
    let underWay = 0;
    let most = 0;
    await using server = await startFaultServer((request, connection) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setImmediate(() => {
        underWay -= 1;
        connection.send(answerFrame({ ...request, transactionId: toId(request.transactionId) & 0xffff }));
      });
    });
    await using underTest = await connectDriver(server.port, { ignoreTransactionId: true, pipelineDepth: 8 });
    const channels = [10, 20, 30, 40].map((offset) => createChannel({ offset }));
    const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value }) => value),
      [10, 20, 30, 40],
    );
    assert.equal(most, 1);
  });
}

test('with ignoreTransactionId a late answer is never taken for that of the next request', async () => {
  const clock = new ManualClock();
  let answerLate: (() => void) | undefined;
  await using server = await startFaultServer((request, connection) => {
    const send = (): void => connection.send(answerFrame({ ...request, transactionId: 0 }));
    if (request.index === 1) answerLate = send;
    else send();
  });
  await using underTest = await connectDriver(server.port, { clock, ignoreTransactionId: true });
  assert.equal((await read(underTest, 10))[0]?.value, 10);
  const late = read(underTest, 20);
  await server.received(2);
  clock.advance(1000);
  assert.equal((await late)[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
  answerLate?.();
  assert.equal((await read(underTest, 30))[0]?.value, 30);
  assert.equal(server.connectionCount(), 2);
});
