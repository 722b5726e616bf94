import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultServer } from '../../support/modbus-fault-server.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

/** A device that answers one request on each connection and closes it. */
function startClosingServer(): Promise<FaultServer> {
  const used = new Set<number>();
  return startFaultServer((request, connection) => {
    // Requests after the first one of a connection are ignored.
    if (used.has(request.connection)) return;
    used.add(request.connection);
    connection.send(answerFrame(request));
    connection.end();
  });
}

function countFailures(readings: readonly Reading[]): number {
  return readings.filter(({ failure }) => failure !== undefined).length;
}

for (const retries of [0, 1, 3]) {
  test(`a device that closes after each answer is read whole with retries ${retries}`, async () => {
    await using server = await startClosingServer();
    await using underTest = await connectDriver(server.port, { clock: new ManualClock(), retries });
    const channels = createRegisterChannels(0, 1000);
    const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
    assert.equal(countFailures(readings), 0);
  });
}

test('a device that closes after each answer is read whole where several requests are under way', async () => {
  await using server = await startClosingServer();
  await using underTest = await connectDriver(server.port, { clock: new ManualClock(), pipelineDepth: 4 });
  const readings = await underTest.driver.prepareRead(createRegisterChannels(0, 1000)).read(noDeadline());
  assert.equal(countFailures(readings), 0);
});

test('a device that closes after each answer soon gets a connection for each request, and writes arrive once', async () => {
  await using server = await startClosingServer();
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  await underTest.driver.prepareRead(createRegisterChannels(0, 1000)).read(noDeadline());
  const sent = server.requests.length;
  const requests = [5, 50, 500].map((offset) => ({ channel: createChannel({ offset }), value: offset }));
  await underTest.driver.connect(noDeadline(), () => undefined);
  const outcomes = await writeValues(underTest.driver, requests, noDeadline());
  assert.deepEqual(
    outcomes.map(({ failure }) => failure),
    [undefined, undefined, undefined],
  );
  assert.equal(server.requests.length, sent + 3);
});

test('a device that closes after each answer soon gets one request at a time where several may be under way', async () => {
  await using server = await startClosingServer();
  await using underTest = await connectDriver(server.port, { clock: new ManualClock(), pipelineDepth: 4 });
  const plan = underTest.driver.prepareRead(createRegisterChannels(0, 1000));
  await plan.read(noDeadline());
  const sent = server.requests.length;
  const writes = [5, 50, 500].map((offset) => ({ channel: createChannel({ offset }), value: offset }));
  const [readings, outcomes] = await Promise.all([
    plan.read(noDeadline()),
    writeValues(underTest.driver, writes, noDeadline()),
  ]);
  assert.equal(countFailures(readings), 0);
  assert.deepEqual(
    outcomes.map(({ failure }) => failure),
    [undefined, undefined, undefined],
  );
  const connections = server.requests.slice(sent).map(({ connection }) => connection);
  assert.equal(new Set(connections).size, connections.length);
});

test('a device that no longer closes after each answer soon keeps its connection', async () => {
  const used = new Set<number>();
  let isClosing = true;
  await using server = await startFaultServer((request, connection) => {
    if (isClosing && used.has(request.connection)) return;
    used.add(request.connection);
    connection.send(answerFrame(request));
    if (isClosing) connection.end();
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const plan = underTest.driver.prepareRead(createRegisterChannels(0, 1000));
  await plan.read(noDeadline());
  isClosing = false;
  for (let round = 0; round < 4; round += 1) await plan.read(noDeadline());
  const sent = server.requests.length;
  assert.equal(countFailures(await plan.read(noDeadline())), 0);
  const connections = server.requests.slice(sent).map(({ connection }) => connection);
  assert.equal(new Set(connections).size, 1);
});

test('a device that closes after each answer loses no read to the trials of its connection', async () => {
  await using server = await startClosingServer();
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const plan = underTest.driver.prepareRead(createRegisterChannels(0, 1000));
  for (let round = 0; round < 8; round += 1) assert.equal(countFailures(await plan.read(noDeadline())), 0);
});

test('a write that was sent over a connection that closes is not sent again', async () => {
  await using server = await startClosingServer();
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const requests = [5, 50].map((offset) => ({ channel: createChannel({ offset }), value: offset }));
  const outcomes = await writeValues(underTest.driver, requests, noDeadline());
  assert.equal(outcomes[0]?.failure, undefined);
  assert.equal(outcomes[1]?.failure?.code, 'MODBUS_WRITE_OUTCOME_UNKNOWN');
  assert.ok(server.requests.filter(({ pdu }) => pdu.readUInt16BE(1) === 50).length <= 1);
});

test('a device that closes at one request only is read but for that one, which is sent twice', async () => {
  await using server = await startFaultServer((request, connection) => {
    if (request.pdu.readUInt16BE(1) === 300) connection.end();
    else connection.send(answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const channels = [10, 300, 500, 700].map((offset) => createChannel({ offset }));
  const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    readings.map(({ value, failure }) => value ?? failure?.code),
    [10, 'MODBUS_LINK_LOST', 500, 700],
  );
  assert.equal(server.requests.filter(({ pdu }) => pdu.readUInt16BE(1) === 300).length, 2);
});

test('a device that closes at every request gets only a few of a long plan', async () => {
  await using server = await startFaultServer((_, connection) => connection.end());
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  await assert.rejects(underTest.driver.prepareRead(createRegisterChannels(0, 5000)).read(noDeadline()), {
    code: 'MODBUS_LINK_LOST',
  });
  assert.ok(server.requests.length <= 4, `${server.requests.length} requests`);
});

const CLOSING = PYMODBUS_SERVERS.flatMap(([name, startServer]) =>
  (['tcp', 'rtu-over-tcp'] as const).map((transport) => ({ name, startServer, transport })),
);

for (const { name, startServer, transport } of CLOSING) {
  test(
    `a server on ${name} over ${transport} that closes after each answer is read whole`,
    needs(name),
    async () => {
      const server = await startServer(transport, 'closing');
      try {
        const settings = { transport, host: '127.0.0.1', port: server.port } as const;
        await using underTest = await connectDriverTo(settings);
        const channels = createRegisterChannels(0, 900);
        for (let turn = 0; turn < 3; turn += 1) {
          const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
          assert.deepEqual(
            readings.map(({ value, failure }) => value ?? failure),
            channels.map(({ address }) => address.offset),
          );
          await underTest.driver.connect(noDeadline(), () => undefined);
        }
      } finally {
        await server.close();
      }
    },
  );
}
