import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultScript } from '../../support/modbus-fault-server.ts';

function read({ driver }: DriverUnderTest, offset: number): Promise<readonly Reading[]> {
  return driver.prepareRead([createChannel({ offset })]).read(noDeadline());
}

const DEVICES: Readonly<Record<string, FaultScript>> = {
  'two zeros after each response': (request, connection) =>
    connection.send(Buffer.concat([answerFrame(request), Buffer.alloc(2)])),
  'the CRC of a serial line after each response': (request, connection) =>
    connection.send(Buffer.concat([answerFrame(request), Buffer.from([0x84, 0x0a])])),
  'a line of text before the first response': (request, connection) => {
    if (request.index === 0) connection.send(Buffer.from('ready\r\n'));
    connection.send(answerFrame(request));
  },
};

for (const [name, script] of Object.entries(DEVICES)) {
  test(`a device that sends ${name} is read with maximumStrayBytes`, async () => {
    await using server = await startFaultServer(script);
    await using underTest = await connectDriver(server.port, { maximumStrayBytes: 8 });
    for (const offset of [7, 8, 9]) assert.equal((await read(underTest, offset))[0]?.value, offset);
    assert.equal(server.connectionCount(), 1);
  });
}

test('without maximumStrayBytes such a device fails, and the failure names the setting and its value', async () => {
  await using server = await startFaultServer((request, connection) =>
    connection.send(Buffer.concat([Buffer.from([0x84, 0x0a]), answerFrame(request)])),
  );
  await using underTest = await connectDriver(server.port);
  const [reading] = await read(underTest, 7);
  assert.equal(reading?.failure?.code, 'MODBUS_INVALID_RESPONSE');
  assert.match(reading.failure.message, /follows 2 other bytes; .* set maximumStrayBytes: 2$/);
});

test('more stray bytes than allowed end the connection', async () => {
  await using server = await startFaultServer((request, connection) =>
    connection.send(Buffer.concat([Buffer.alloc(9, 0xff), answerFrame(request)])),
  );
  await using underTest = await connectDriver(server.port, { maximumStrayBytes: 8 });
  const [reading] = await read(underTest, 7);
  assert.match(reading?.failure?.message ?? '', /more than 8 bytes between two frames/);
});

test('with maximumStrayBytes the late response to a failed request is skipped as such', async () => {
  const clock = new ManualClock();
  let late: (() => void) | undefined;
  await using server = await startFaultServer((request, connection) => {
    const send = (): void => connection.send(answerFrame(request));
    if (request.unitId === 2) late = send;
    else if (request.index === 2) {
      late?.();
      send();
    } else send();
  });
  const settings = { clock, pipelineDepth: 2, maximumStrayBytes: 2 };
  await using underTest = await connectDriver(server.port, settings);
  // The response to unit 1 shows that the connection is intact, so the time-out of unit 2 does not close it.
  const channels = [createChannel({ unitId: 2, offset: 20 }), createChannel({ offset: 10 })];
  const reading = underTest.driver.prepareRead(channels).read(noDeadline());
  await server.received(2);
  while (underTest.driver.counters()['answers'] !== 1) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  const [missing, there] = await reading;
  assert.deepEqual([missing?.failure?.code, there?.value], ['MODBUS_NO_RESPONSE', 10]);
  assert.equal((await read(underTest, 30))[0]?.value, 30);
  assert.equal(underTest.driver.counters()['strayAnswers'], 1);
  assert.equal(server.connectionCount(), 1);
});
