import assert from 'node:assert/strict';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { rtuFraming } from '../../../drivers/modbus/pdu/serial-framing.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrameOf, answerOf, startSerialSlave } from '../../support/modbus-serial-slave.ts';
import type { SerialRequest } from '../../support/modbus-serial-slave.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const { test } = testsThatNeed('socat');

const CHANNEL = createChannel({ unitId: 7, offset: 21 });

function connect(device: string, settings: object = {}): Promise<DriverUnderTest> {
  return connectDriverTo({
    transport: 'rtu',
    device,
    baudRate: 115_200,
    parity: 'none',
    responseTimeoutMs: 1000,
    ...settings,
  });
}

async function read({ driver }: DriverUnderTest, channel = CHANNEL): Promise<Reading> {
  const [reading] = await driver.prepareRead([channel]).read(noDeadline());
  assert.ok(reading);
  return reading;
}

function damage(frame: Buffer): Buffer {
  const damaged = Buffer.from(frame);
  damaged[3] = (damaged[3] ?? 0) ^ 0x10;
  return damaged;
}

const FAULTS: readonly (readonly [
  name: string,
  answer: (request: SerialRequest) => Buffer,
  expected: { readonly code: string; readonly message: RegExp; readonly counter: string },
])[] = [
  [
    'with a wrong CRC',
    (request) => damage(answerFrameOf(request)),
    { code: 'MODBUS_INVALID_RESPONSE', message: /wrong checksum/, counter: 'checksumErrors' },
  ],
  [
    'of another unit',
    (request) => rtuFraming.encode(8, answerOf(request)),
    { code: 'MODBUS_NO_RESPONSE', message: /did not respond/, counter: 'lateFrames' },
  ],
  [
    'to another function',
    ({ unitId }) => rtuFraming.encode(unitId, Buffer.from([4, 2, 0, 21])),
    { code: 'MODBUS_INVALID_RESPONSE', message: /function code 4/, counter: 'invalidAnswers' },
  ],
  [
    'with a byte count that is too large',
    ({ unitId }) => rtuFraming.encode(unitId, Buffer.from([3, 4, 0, 21, 0, 22])),
    { code: 'MODBUS_INVALID_RESPONSE', message: /byte count 4/, counter: 'invalidAnswers' },
  ],
  [
    'with a byte count of 255 and nothing behind it',
    () => Buffer.from([7, 3, 255]),
    { code: 'MODBUS_NO_RESPONSE', message: /3 bytes received/, counter: 'timeouts' },
  ],
  [
    'that is cut in the middle',
    (request) => answerFrameOf(request).subarray(0, 4),
    { code: 'MODBUS_NO_RESPONSE', message: /4 bytes received/, counter: 'timeouts' },
  ],
  [
    'of nothing but noise',
    () => Buffer.alloc(40, 0xa5),
    { code: 'MODBUS_INVALID_RESPONSE', message: /40 bytes/, counter: 'checksumErrors' },
  ],
  [
    'that does not end',
    () => Buffer.alloc(4000, 0xa5),
    { code: 'MODBUS_INVALID_RESPONSE', message: /bytes without a valid response/, counter: 'invalidAnswers' },
  ],
];

for (const [name, answer, { code, message, counter }] of FAULTS) {
  test(`an answer ${name} fails clearly and is counted, and the next read is right`, async () => {
    await using slave = await startSerialSlave((request, send) => {
      send(request.index === 0 ? answer(request) : answerFrameOf(request));
    });
    await using underTest = await connect(slave.device);
    const { failure } = await read(underTest);
    assert.equal(failure?.code, code);
    assert.match(failure?.message ?? '', message);
    assert.ok((underTest.driver.counters()[counter] ?? 0) >= 1);
    assert.equal((await read(underTest)).value, 21);
  });
}

test('an answer behind noise is found', async () => {
  await using slave = await startSerialSlave((request, send) => {
    send(Buffer.concat([Buffer.from([0, 7, 3, 7, 255]), answerFrameOf(request)]));
  });
  await using underTest = await connect(slave.device);
  assert.equal((await read(underTest)).value, 21);
});

test('a byte of noise behind each answer costs no time-outs', async () => {
  await using slave = await startSerialSlave((request, send) => {
    send(Buffer.concat([answerFrameOf(request), Buffer.from([0])]));
  });
  await using underTest = await connect(slave.device, { responseTimeoutMs: 60_000 });
  for (let turn = 0; turn < 5; turn += 1) assert.equal((await read(underTest)).value, 21);
});

test('an answer that is cut anywhere on its way is put together', async () => {
  await using slave = await startSerialSlave((request, send) => {
    for (const byte of answerFrameOf(request)) send(Buffer.from([byte]));
  });
  await using underTest = await connect(slave.device);
  assert.equal((await read(underTest)).value, 21);
});

test('the time-out limits the whole answer, however slowly its bytes drip in', async () => {
  await using slave = await startSerialSlave((request, send) => {
    if (request.index > 0) return send(answerFrameOf(request));
    const bytes = [...answerFrameOf(request)];
    const drip = setInterval(() => {
      const next = bytes.shift();
      if (next === undefined) clearInterval(drip);
      else send(Buffer.from([next]));
    }, 250);
  });
  await using underTest = await connect(slave.device);
  assert.equal((await read(underTest)).failure?.code, 'MODBUS_NO_RESPONSE');
  assert.equal((await read(underTest)).value, 21);
});

for (const exceptionCode of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255]) {
  test(`exception ${exceptionCode} fails the channel at once and names the code`, async () => {
    await using slave = await startSerialSlave(({ unitId }, send) => {
      send(rtuFraming.encode(unitId, Buffer.from([0x83, exceptionCode])));
    });
    await using underTest = await connect(slave.device, { responseTimeoutMs: 60_000 });
    const { failure } = await read(underTest);
    const digits = exceptionCode.toString(16).toUpperCase().padStart(2, '0');
    assert.ok(failure?.message.startsWith(`unit 7 returned exception ${digits}`));
  });
}

test('a line on which bytes never end is given up', async () => {
  await using slave = await startSerialSlave(() => undefined);
  await using underTest = await connect(slave.device);
  const pour = setInterval(() => slave.send(Buffer.alloc(4096, 0x55)), 1);
  while (underTest.losses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(pour);
  assert.match(underTest.losses[0]?.message ?? '', /too many bytes without a response/);
});

test('requests of many readers go out one after the other, the units in turn', async () => {
  let open = 0;
  let most = 0;
  await using slave = await startSerialSlave((request, send) => {
    open += 1;
    most = Math.max(most, open);
    setImmediate(() => {
      open -= 1;
      send(answerFrameOf(request));
    });
  });
  await using underTest = await connect(slave.device, { responseTimeoutMs: 5000 });
  const reads = [1, 1, 1, 1, 2, 3].map((unitId, index) =>
    read(underTest, createChannel({ unitId, offset: index })),
  );
  const values = (await Promise.all(reads)).map(({ value }) => value);
  assert.deepEqual(values, [0, 1, 2, 3, 4, 5]);
  assert.equal(most, 1);
  assert.deepEqual(
    slave.requests.map(({ unitId }) => unitId),
    [1, 1, 2, 3, 1, 1],
  );
});

test('an echo without the setting for it is named in the failure', async () => {
  await using slave = await startSerialSlave((request, send) => {
    send(Buffer.concat([request.frame, answerFrameOf(request)]));
  });
  await using underTest = await connect(slave.device);
  assert.match((await read(underTest)).failure?.message ?? '', /echo: true/);
  assert.equal(underTest.driver.counters()['echoes'], 1);
  const [outcome] = await writeValues(underTest.driver, [{ channel: CHANNEL, value: 1 }], noDeadline());
  assert.match(outcome?.failure?.message ?? '', /echo: true/);
});

test('the first write over an adapter that echoes is not taken for confirmed, and is not sent', async () => {
  const functionCodes: number[] = [];
  await using slave = await startSerialSlave((request, send) => {
    functionCodes.push(request.frame[1] ?? 0);
    // The unit itself is dead.
    send(request.frame);
  });
  await using underTest = await connect(slave.device);
  const [outcome] = await writeValues(underTest.driver, [{ channel: CHANNEL, value: 1 }], noDeadline());
  assert.match(outcome?.failure?.message ?? '', /echo: true/);
  assert.deepEqual(functionCodes, [3]);
});

test('with echo: true exactly the sent bytes are removed from the received ones', async () => {
  await using slave = await startSerialSlave((request, send) => {
    send(request.frame);
    if (request.unitId === 7) send(answerFrameOf(request));
  });
  await using underTest = await connect(slave.device, { echo: true });
  assert.equal((await read(underTest)).value, 21);
  const confirmed = await writeValues(underTest.driver, [{ channel: CHANNEL, value: 1 }], noDeadline());
  assert.equal(confirmed[0]?.failure, undefined);
  const silent = createChannel({ unitId: 9, offset: 21 });
  const [outcome] = await writeValues(underTest.driver, [{ channel: silent, value: 1 }], noDeadline());
  assert.equal(outcome?.failure?.code, 'MODBUS_WRITE_OUTCOME_UNKNOWN');
});

test('with echo: true an adapter that sends nothing back is named in the failure', async () => {
  await using slave = await startSerialSlave((request, send) => send(answerFrameOf(request)));
  await using underTest = await connect(slave.device, { echo: true });
  assert.match((await read(underTest)).failure?.message ?? '', /although echo is set/);
});

test('a broadcast is done when it was sent, and cannot be read', async () => {
  await using slave = await startSerialSlave((request, send) => {
    if (request.unitId !== 0) send(answerFrameOf(request));
  });
  await using underTest = await connect(slave.device);
  const channel = createChannel({ unitId: 0, offset: 3 });
  const [outcome] = await writeValues(underTest.driver, [{ channel, value: 5 }], noDeadline());
  assert.equal(outcome?.failure, undefined);
  assert.deepEqual([...(slave.requests[0]?.pdu ?? [])], [6, 0, 3, 0, 5]);
  assert.equal((await read(underTest, channel)).failure?.code, 'MODBUS_BROADCAST_READ');
  assert.equal(slave.requests.length, 1);
  assert.equal(underTest.driver.counters()['broadcasts'], 1);
});

test('a line whose adapter is pulled is reported, and works when it is back', async () => {
  await using slave = await startSerialSlave((request, send) => send(answerFrameOf(request)));
  await using underTest = await connect(slave.device);
  await slave.pair.unplug();
  while (underTest.losses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(read(underTest), { code: 'MODBUS_LINK_LOST' });
  await assert.rejects(
    underTest.driver.connect(noDeadline(), () => undefined),
    { code: 'SERIAL_NOT_FOUND' },
  );
});

test('a unit that is silent is suspended and told of once, and so is its return', async () => {
  const told: string[] = [];
  let isSilent = true;
  await using slave = await startSerialSlave((request, send) => {
    if (!isSilent) send(answerFrameOf(request));
  });
  const settings = { transport: 'rtu', device: slave.device, responseTimeoutMs: 20 } as const;
  await using underTest = await connectDriverTo(settings, {
    onUnitChange: ({ name, state }) => told.push(`${name} ${state}`),
  });
  for (let turn = 0; turn < 3; turn += 1) await read(underTest);
  assert.equal((await read(underTest)).failure?.code, 'MODBUS_UNIT_SUSPENDED');
  isSilent = false;
  while (told.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(told, ['unit 7 SUSPENDED', 'unit 7 ANSWERING']);
});
