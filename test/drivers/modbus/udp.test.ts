import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import type { RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, createFrame, exceptionFrame } from '../../support/modbus-fault-server.ts';
import type { FaultRequest } from '../../support/modbus-fault-server.ts';
import { writeValues } from '../../support/write-values.ts';

type Script = (request: FaultRequest, send: (bytes: Uint8Array) => void) => void;

interface UdpServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly FaultRequest[];
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

async function startUdpServer(script: Script, port = 0): Promise<UdpServer> {
  const socket = createSocket('udp4');
  const requests: FaultRequest[] = [];
  socket.on('message', (bytes: Buffer, { port: to, address }: RemoteInfo) => {
    const request: FaultRequest = {
      transactionId: bytes.readUInt16BE(0),
      unitId: bytes[6] ?? 0,
      pdu: bytes.subarray(7),
      index: requests.length,
      // The port of the sender: each socket has its own.
      connection: to,
    };
    requests.push(request);
    script(request, (answer) => socket.send(answer, to, address));
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await new Promise<void>((resolve) => {
      socket.close(resolve);
    });
  };
  return {
    port: socket.address().port,
    requests,
    received: (count) => until(() => requests.length >= count),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function read({ driver }: DriverUnderTest, ...offsets: number[]): Promise<readonly Reading[]> {
  return driver.prepareRead(offsets.map((offset) => createChannel({ offset }))).read(noDeadline());
}

function connect(port: number, settings: object = {}, clock?: ManualClock): Promise<DriverUnderTest> {
  return connectDriverTo(
    { transport: 'udp', host: '127.0.0.1', port, ...settings },
    clock === undefined ? {} : { clock },
  );
}

const answer: Script = (request, send) => send(answerFrame(request));

test('a read whose request or answer was lost is sent again', async () => {
  const clock = new ManualClock();
  await using server = await startUdpServer((request, send) => {
    if (request.index === 1) answer(request, send);
  });
  await using underTest = await connect(server.port, {}, clock);
  const reading = read(underTest, 7);
  await server.received(1);
  clock.advance(1000);
  assert.equal((await reading)[0]?.value, 7);
  const ids = server.requests.map(({ transactionId }) => transactionId);
  assert.equal(new Set(ids).size, 2, 'each attempt has its own transaction identifier');
});

test('a write that is not answered is not sent again, and its outcome is unknown', async () => {
  const clock = new ManualClock();
  await using server = await startUdpServer(() => undefined);
  await using underTest = await connect(server.port, {}, clock);
  const requests = [{ channel: createChannel({ offset: 7 }), value: 5 }];
  const writing = writeValues(underTest.driver, requests, noDeadline(), clock);
  await server.received(1);
  clock.advance(1000);
  assert.equal((await writing)[0]?.failure?.code, 'MODBUS_WRITE_OUTCOME_UNKNOWN');
  assert.equal(server.requests.length, 1);
});

test('answers that come twice are counted and dropped', async () => {
  await using server = await startUdpServer((request, send) => {
    answer(request, send);
    answer(request, send);
  });
  await using underTest = await connect(server.port);
  for (const offset of [7, 8, 9]) assert.equal((await read(underTest, offset))[0]?.value, offset);
  await until(() => underTest.driver.counters()['strayAnswers'] === 3);
});

test('answers in another order belong to their own requests', async () => {
  const held: (() => void)[] = [];
  await using server = await startUdpServer((request, send) => {
    held.unshift(() => answer(request, send));
    if (held.length === 4) for (const release of held) release();
  });
  await using underTest = await connect(server.port, { pipelineDepth: 4 });
  const readings = await read(underTest, 10, 20, 30, 40);
  assert.deepEqual(
    readings.map(({ value }) => value),
    [10, 20, 30, 40],
  );
});

test('a late answer is never taken for that of a later request, even over the next link', async () => {
  const clock = new ManualClock();
  let isDeaf = true;
  let late: FaultRequest | undefined;
  await using server = await startUdpServer((request, send) => {
    if (isDeaf) late ??= request;
    else {
      // With the number of a request of the link before.
      send(answerFrame({ ...request, transactionId: late?.transactionId ?? 0 }, 1000));
      answer(request, send);
    }
  });
  await using underTest = await connect(server.port, { retries: 0 }, clock);
  const lost = read(underTest, 1);
  await server.received(1);
  clock.advance(1000);
  assert.equal((await lost)[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
  isDeaf = false;
  await underTest.driver.disconnect();
  await underTest.driver.connect(noDeadline(), () => undefined);
  const [reading] = await read(underTest, 50);
  assert.equal(reading?.value, 50);
  assert.equal(underTest.driver.counters()['strayAnswers'], 1);
  assert.equal(new Set(server.requests.map(({ transactionId }) => transactionId)).size, 2);
});

test('a datagram is parsed alone: bytes that are no frame, or half of one, are dropped', async () => {
  await using server = await startUdpServer((request, send) => {
    const frame = answerFrame(request);
    send(frame.subarray(0, 5));
    send(frame.subarray(0, frame.length - 1));
    send(createFrame({ ...request, pdu: frame.subarray(7), protocolId: 9 }));
    send(Buffer.alloc(0));
    send(Buffer.alloc(1400, 0xff));
    send(frame);
  });
  await using underTest = await connect(server.port);
  assert.equal((await read(underTest, 7))[0]?.value, 7);
  assert.equal(underTest.driver.counters()['strayAnswers'], 5);
});

test('a device that refuses a request is understood', async () => {
  await using server = await startUdpServer((request, send) => send(exceptionFrame(request, 2)));
  await using underTest = await connect(server.port);
  assert.equal((await read(underTest, 7))[0]?.failure?.code, 'MODBUS_ILLEGAL_DATA_ADDRESS');
});

test('an answer of another unit is refused with the setting that accepts it, and accepted with it', async () => {
  const script: Script = (request, send) => send(answerFrame({ ...request, unitId: 255 }));
  await using server = await startUdpServer(script);
  await using strict = await connect(server.port, { retries: 0 });
  const [refused] = await read(strict, 7);
  assert.equal(refused?.failure?.code, 'MODBUS_INVALID_RESPONSE');
  assert.match(refused.failure.message, /ignoreUnitIdInAnswers: true/);
  await using lenient = await connect(server.port, { ignoreUnitIdInAnswers: true });
  assert.equal((await read(lenient, 7))[0]?.value, 7);
});

test('a port where nothing listens fails at once, and is read again once something does', async () => {
  const server = await startUdpServer(answer);
  const { port } = server;
  await using underTest = await connect(port);
  assert.equal((await read(underTest, 7))[0]?.value, 7);
  await server.close();
  await assert.rejects(read(underTest, 8), { code: 'MODBUS_LINK_LOST' });
  await using again = await startUdpServer(answer, port);
  await underTest.driver.connect(noDeadline(), () => undefined);
  assert.equal((await read(underTest, 9))[0]?.value, 9);
  assert.equal(again.requests.length, 1);
});

test('after three time-outs without any datagram the next request looks the name up again, on another socket', async () => {
  const clock = new ManualClock();
  let isDeaf = true;
  await using server = await startUdpServer((request, send) => {
    if (!isDeaf) answer(request, send);
  });
  await using underTest = await connect(server.port, { retries: 0 }, clock);
  const readUnit = (unitId: number): Promise<readonly Reading[]> =>
    underTest.driver.prepareRead([createChannel({ unitId, offset: 7 })]).read(noDeadline());
  for (const unitId of [1, 2, 3]) {
    const reading = readUnit(unitId);
    await server.received(unitId);
    clock.advance(1000);
    assert.equal((await reading)[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
  }
  isDeaf = false;
  assert.equal((await readUnit(4))[0]?.value, 7);
  const [first, second, third, fourth] = server.requests.map(({ connection }) => connection);
  assert.deepEqual([second, third], [first, first]);
  assert.notEqual(fourth, first);
});

test('a host that drivers must not contact is refused', async () => {
  await assert.rejects(connectDriverTo({ transport: 'udp', host: '169.254.169.254' }), {
    code: 'ADDRESS_REFUSED',
  });
});
