import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { ChannelFailure } from '../../../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import type { WriteOutcome } from '../../../../daemon/channel/write-step.ts';
import type { ChannelValue } from '../../../../daemon/channel/value-type.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  connectDriver,
  connectDriverTo,
  createChannel,
  noDeadline,
} from '../../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../../support/modbus-driver-under-test.ts';
import {
  answerFrame,
  createFrame,
  exceptionFrame,
  startFaultServer,
} from '../../../support/modbus-fault-server.ts';
import type { FaultScript, FaultServer } from '../../../support/modbus-fault-server.ts';
import { writeValues } from '../../../support/write-values.ts';

/** Writes to consecutive holding registers of unit 7, from 21 on. */
function write(
  { driver }: DriverUnderTest,
  values: readonly ChannelValue[],
  signal = noDeadline(),
): Promise<readonly WriteOutcome[]> {
  const requests = values.map((value, index) => ({
    channel: createChannel({ unitId: 7, offset: 21 + index }),
    value,
  }));
  return writeValues(driver, requests, signal);
}

function codesOf(outcomes: readonly WriteOutcome[]): readonly (string | undefined)[] {
  return outcomes.map(({ failure }) => failure?.code);
}

function functionsOf({ requests }: FaultServer): readonly (number | undefined)[] {
  return requests.map(({ pdu }) => pdu[0]);
}

test('a write without an answer is not sent again and its outcome is unknown', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock });
  const writing = write(underTest, [1]);
  await server.received(1);
  clock.advance(1000);
  assert.deepEqual((await writing)[0]?.failure, {
    code: 'MODBUS_WRITE_OUTCOME_UNKNOWN',
    message: 'unit 7 did not respond within 1000 ms; outcome unknown',
  });
  assert.equal(server.requests.length, 1);
});

// With an echo to come, no read has to show first that there is none.
for (const settings of [{ transport: 'tcp' }, { transport: 'rtu-over-tcp', echo: true }] as const) {
  test(`over ${settings.transport} a write that is given up is taken back with a reset, a read is not`, async (t) => {
    for (const [isWriting, ending] of [
      [true, 'RST'],
      [false, 'FIN'],
    ] as const) {
      const clock = new ManualClock();
      const { promise: arrived, resolve: onArrival } = Promise.withResolvers<undefined>();
      const { promise: ended, resolve: onEnd } = Promise.withResolvers<string>();
      const server = createServer((socket) => {
        socket.on('data', () => onArrival(undefined));
        socket.on('end', () => onEnd('FIN')).on('error', () => onEnd('RST'));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const { port } = server.address() as AddressInfo;
      const underTest = await connectDriverTo({ ...settings, host: '127.0.0.1', port }, { clock });
      const read = underTest.driver.prepareRead([createChannel({ unitId: 7, offset: 21 })]);
      const state = { isDone: false };
      const asking = isWriting ? write(underTest, [1]) : read.read(noDeadline());
      const done = Promise.allSettled([asking]).then(() => (state.isDone = true));
      await arrived;
      while (!state.isDone) {
        clock.advance(100);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await done;
      await underTest.driver.disconnect();
      assert.equal(await ended, ending);
    }
  });
}

test('a write whose link is reset is not sent again and its outcome is unknown', async () => {
  await using server = await startFaultServer((_, connection) => connection.reset());
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  assert.deepEqual(codesOf(await write(underTest, [1])), ['MODBUS_WRITE_OUTCOME_UNKNOWN']);
  assert.equal(server.requests.length, 1);
});

test('a write whose answer repeats another value was not carried out; one of another address leaves it open', async () => {
  const answers = [Buffer.from([6, 0, 21, 0, 99]), Buffer.from([6, 0, 22, 0, 1])];
  await using server = await startFaultServer((request, connection) => {
    connection.send(createFrame({ ...request, pdu: answers[request.index] ?? Buffer.alloc(0) }));
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  assert.deepEqual(codesOf(await write(underTest, [1])), ['MODBUS_OTHER_VALUE_CONFIRMED']);
  assert.deepEqual(codesOf(await write(underTest, [1])), ['MODBUS_WRITE_OUTCOME_UNKNOWN']);
});

test('a write behind a gateway that got no answer has an unknown outcome', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 11));
  });
  await using underTest = await connectDriver(server.port);
  assert.deepEqual(codesOf(await write(underTest, [1])), ['MODBUS_WRITE_OUTCOME_UNKNOWN']);
});

test('a write that the device accepts without having done it has an unknown outcome', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 5));
  });
  await using underTest = await connectDriver(server.port);
  const [outcome] = await write(underTest, [1]);
  assert.deepEqual(outcome?.failure, {
    code: 'MODBUS_WRITE_OUTCOME_UNKNOWN',
    message:
      'unit 7 returned exception 05 ACKNOWLEDGE: the request was accepted, but its completion is not confirmed; ' +
      'outcome unknown',
  });
  assert.equal(server.requests.length, 1);
});

test('a joined write that the device accepts without having done it is not sent value by value', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 5));
  });
  await using underTest = await connectDriver(server.port);
  const unknown = 'MODBUS_WRITE_OUTCOME_UNKNOWN';
  assert.deepEqual(codesOf(await write(underTest, [1, 2])), [unknown, unknown]);
  assert.deepEqual(functionsOf(server), [16]);
});

test('the deadline of a call leaves sent values with an unknown outcome, and nothing more is sent', async () => {
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const deadline = new AbortController();
  const requests = [21, 30].map((offset) => ({ channel: createChannel({ offset }), value: 1 }));
  const writing = writeValues(underTest.driver, requests, deadline.signal);
  await server.received(1);
  deadline.abort();
  assert.deepEqual(codesOf(await writing), ['MODBUS_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK']);
  assert.equal(server.requests.length, 1);
});

test('a write without an answer holds back the others of the call, to whatever unit', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.unitId !== 7) connection.send(answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock });
  const requests = [
    { channel: createChannel({ unitId: 7, offset: 1 }), value: 1 },
    { channel: createChannel({ unitId: 7, offset: 9 }), value: 1 },
    { channel: createChannel({ unitId: 8, offset: 1 }), value: 1 },
  ];
  const writing = writeValues(underTest.driver, requests, noDeadline());
  await server.received(1);
  clock.advance(1000);
  assert.deepEqual(codesOf(await writing), [
    'MODBUS_WRITE_OUTCOME_UNKNOWN',
    'WRITE_HELD_BACK',
    'WRITE_HELD_BACK',
  ]);
  assert.equal(server.requests.length, 1);
});

const unknownAnswers: Readonly<Record<string, FaultScript>> = {
  'an answer that repeats another address': (request, connection) =>
    connection.send(createFrame({ ...request, pdu: Buffer.from([6, 0, 2, 0, 1]) })),
  'the loss of its link': (_, connection) => connection.reset(),
  'an acknowledgement that it was accepted': (request, connection) =>
    connection.send(exceptionFrame(request, 5)),
  'a gateway whose device did not answer': (request, connection) =>
    connection.send(exceptionFrame(request, 11)),
};

for (const [cause, answerFirst] of Object.entries(unknownAnswers)) {
  test(`a write whose outcome is unknown after ${cause} holds back the others, to whatever unit`, async () => {
    await using server = await startFaultServer((request, connection) => {
      if (request.index === 0) answerFirst(request, connection);
      else connection.send(answerFrame(request));
    });
    await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
    const requests = [
      { channel: createChannel({ unitId: 7, offset: 1 }), value: 1 },
      { channel: createChannel({ unitId: 7, offset: 9 }), value: 1 },
      { channel: createChannel({ unitId: 8, offset: 1 }), value: 1 },
    ];
    const outcomes = await writeValues(underTest.driver, requests, noDeadline());
    assert.deepEqual(codesOf(outcomes), [
      'MODBUS_WRITE_OUTCOME_UNKNOWN',
      'WRITE_HELD_BACK',
      'WRITE_HELD_BACK',
    ]);
    assert.equal(
      outcomes[1]?.failure?.message,
      'the outcome of an earlier write in the request is unknown; not sent',
    );
    assert.equal(server.requests.length, 1);
  });
}

test('a value is asked again whether it is to be sent, before a joined write that was refused is sent value by value', async () => {
  let isOver = false;
  await using server = await startFaultServer((request, connection) => {
    const isJoined = request.pdu[0] === 16;
    isOver = isJoined;
    connection.send(isJoined ? exceptionFrame(request, 2) : answerFrame(request));
  });
  await using underTest = await connectDriver(server.port);
  const failure = { code: 'WRITE_CLIENT_GONE', message: 'it is over' } as const;
  const requests = [21, 22].map((offset, index) => ({
    channel: createChannel({ offset }),
    value: 1,
    findCancellation: () => (isOver && index === 0 ? failure : undefined),
  }));
  assert.deepEqual(codesOf(await writeValues(underTest.driver, requests, noDeadline())), [
    'WRITE_CLIENT_GONE',
    undefined,
  ]);
  assert.deepEqual(functionsOf(server), [16, 6]);
});

test('a value that is no longer wanted after its first function was refused is not sent by the other', async () => {
  let isOver = false;
  await using server = await startFaultServer((request, connection) => {
    isOver = true;
    connection.send(exceptionFrame(request, 1));
  });
  await using underTest = await connectDriver(server.port);
  const findCancellation = (): ChannelFailure | undefined =>
    isOver ? { code: 'WRITE_CLIENT_GONE', message: 'it is over' } : undefined;
  const requests = [{ channel: createChannel({ offset: 3 }), value: 1, findCancellation }];
  const [outcome] = await writeValues(underTest.driver, requests, noDeadline());
  assert.ok(outcome?.failure !== undefined);
  assert.deepEqual([outcome.failure.code, outcome.outcome], ['WRITE_CLIENT_GONE', 'NOT_SENT']);
  assert.deepEqual(functionsOf(server), [6]);
});

test('a link that is lost before the other function of a value is sent leaves the value unsent', async () => {
  const clock = new ManualClock();
  const server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 1));
    void server.close();
  });
  await using underTest = await connectDriver(server.port, { clock, delayBetweenRequestsMs: 100 });
  const writing = write(underTest, [1]);
  while (underTest.driver.counters()['linkLosses'] !== 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  clock.advance(100);
  await assert.rejects(writing, ConnectionError);
  assert.deepEqual(functionsOf(server), [6]);
});

test('a unit that is suspended is not written, and the other units of the call are', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.unitId !== 7) connection.send(answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, { clock, retries: 0 });
  const { driver } = underTest;
  const read = driver.prepareRead([createChannel({ unitId: 7 })]);
  while (driver.unitStatus()[0]?.state !== 'SUSPENDED') {
    const { length } = server.requests;
    const reading = read.read(noDeadline());
    await server.received(length + 1);
    clock.advance(1000);
    await reading;
  }
  const requests = [7, 8].map((unitId) => ({ channel: createChannel({ unitId }), value: 1 }));
  const [suspended, written] = await writeValues(driver, requests, noDeadline());
  assert.ok(suspended?.failure !== undefined);
  assert.deepEqual([suspended.failure.code, suspended.outcome], ['MODBUS_UNIT_SUSPENDED', 'NOT_SENT']);
  assert.equal(written?.failure, undefined);
});

test('values that do not fit fail before the wire and the others are written', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  const outcomes = await write(underTest, [65_536, -1, Number.NaN, 'text', 2n ** 53n + 1n, 1.5]);
  assert.deepEqual(codesOf(outcomes), [
    'VALUE_OUT_OF_RANGE',
    'VALUE_OUT_OF_RANGE',
    'VALUE_OUT_OF_RANGE',
    'VALUE_TYPE_MISMATCH',
    'VALUE_OUT_OF_RANGE',
    undefined,
  ]);
  assert.deepEqual([...(server.requests[0]?.pdu ?? [])], [6, 0, 26, 0, 2]);
});

for (const exceptionCode of [1, 2, 3]) {
  test(`exception ${exceptionCode} to a joined write falls back to single writes`, async () => {
    await using server = await startFaultServer((request, connection) => {
      const isJoined = request.pdu[0] === 16;
      connection.send(isJoined ? exceptionFrame(request, exceptionCode) : answerFrame(request));
    });
    await using underTest = await connectDriver(server.port);
    assert.deepEqual(codesOf(await write(underTest, [1, 2])), [undefined, undefined]);
    assert.deepEqual(functionsOf(server), [16, 6, 6]);
  });
}

test('exception 4 to a joined write fails all its values, because some may be written', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 4));
  });
  await using underTest = await connectDriver(server.port);
  const codes = codesOf(await write(underTest, [1, 2]));
  assert.deepEqual(codes, ['MODBUS_SERVER_DEVICE_FAILURE', 'MODBUS_SERVER_DEVICE_FAILURE']);
  assert.equal(server.requests.length, 1);
});

test('a device without function 6 gets the value by function 16, once', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(request.pdu[0] === 6 ? exceptionFrame(request, 1) : answerFrame(request));
  });
  await using underTest = await connectDriver(server.port);
  assert.deepEqual(codesOf(await write(underTest, [258])), [undefined]);
  assert.deepEqual([...(server.requests[1]?.pdu ?? [])], [16, 0, 21, 0, 1, 2, 1, 2]);
});

test('a device without function 5 gets the state by function 15, once', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(request.pdu[0] === 5 ? exceptionFrame(request, 1) : answerFrame(request));
  });
  await using underTest = await connectDriver(server.port);
  const channel = createChannel({ table: 'COILS', offset: 3 });
  assert.deepEqual(codesOf(await writeValues(underTest.driver, [{ channel, value: true }], noDeadline())), [
    undefined,
  ]);
  assert.deepEqual([...(server.requests[1]?.pdu ?? [])], [15, 0, 3, 0, 1, 1, 1]);
});

test('a device without any write function is asked twice and its refusal is shown', async () => {
  await using server = await startFaultServer((request, connection) => {
    connection.send(exceptionFrame(request, 1));
  });
  await using underTest = await connectDriver(server.port);
  assert.deepEqual(codesOf(await write(underTest, [1])), ['MODBUS_ILLEGAL_FUNCTION']);
  assert.deepEqual(functionsOf(server), [6, 16]);
});

test('writes to the same register are all sent, in the order given', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  const channel = createChannel({ offset: 3 });
  await writeValues(
    underTest.driver,
    [1, 2, 1].map((value) => ({ channel, value })),
    noDeadline(),
  );
  assert.deepEqual(
    server.requests.map(({ pdu }) => pdu.readUInt16BE(3)),
    [1, 2, 1],
  );
});

test('a write to unit 0 waits for its answer like any other, as devices on TCP send one', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  const channel = createChannel({ unitId: 0 });
  assert.deepEqual(codesOf(await writeValues(underTest.driver, [{ channel, value: 1 }], noDeadline())), [
    undefined,
  ]);
});

test('a write while the link is down throws, and nothing is sent', async () => {
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port);
  await underTest.driver.disconnect();
  await assert.rejects(write(underTest, [1]), ConnectionError);
  assert.equal(server.requests.length, 0);
});
