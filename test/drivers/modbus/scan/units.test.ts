import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import type { FaultConnection, FaultRequest } from '../../../support/modbus-fault-server.ts';
import { answerFrame, createFrame, exceptionFrame } from '../../../support/modbus-fault-server.ts';
import { createCommonModel, createSunspecMap } from './sunspec-memory.ts';
import type { Registers } from './sunspec-memory.ts';
import { assertOnlyRead, openModbusScan, startDevice } from './scan-bench.ts';

const UNITS_ONLY = { options: { ranges: false } };
const HOST = '127.0.0.1';
// Of a device that never answers.
const SHORT = { responseTimeoutMs: 20 };

/** Answers a read of holding registers from a memory, and refuses everything else. */
function answerFrom(memory: Registers, request: FaultRequest, connection: FaultConnection): void {
  const { pdu } = request;
  if (pdu[0] !== 3) return connection.send(exceptionFrame(request, 1));
  const [first, quantity] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3)];
  const words = Array.from({ length: quantity }, (_, index) => memory.get(first + index));
  if (words.includes(undefined)) return connection.send(exceptionFrame(request, 2));
  const bytes = words.flatMap((word = 0) => [word >> 8, word & 0xff]);
  connection.send(createFrame({ ...request, pdu: Buffer.from([3, bytes.length, ...bytes]) }));
}

/** Answers a read of any table, and refuses everything else. */
function answerRead(request: FaultRequest): Buffer {
  return (request.pdu[0] ?? 0) <= 4 ? answerFrame(request) : exceptionFrame(request, 1);
}

/** Returns the answer to an identification. */
function identify(
  request: FaultRequest,
  objects: readonly (readonly [id: number, text: string])[],
  { level = 1, next = undefined as number | undefined } = {},
): Buffer {
  const head = [43, 14, request.pdu[2] ?? 0, level, next === undefined ? 0 : 0xff, next ?? 0, objects.length];
  const body = objects.flatMap(([id, text]) => [id, text.length, ...Buffer.from(text, 'latin1')]);
  return createFrame({ ...request, pdu: Buffer.from([...head, ...body]) });
}

test('units behind a gateway are told from those that it does not reach', async (t) => {
  const device = await startDevice(t, (request, connection) => {
    const { unitId } = request;
    if (unitId === 2) connection.send(answerRead(request));
    else if (unitId === 5) connection.send(exceptionFrame(request, 2));
    else connection.send(exceptionFrame(request, unitId === 7 ? 0x0a : 0x0b));
  });
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, UNITS_ONLY);
  assert.deepEqual(found.texts, ['unit 2 UNIT responds', 'unit 5 UNIT responds with exception 2']);
  assert.deepEqual(
    found.assets.map(({ pid }) => pid),
    ['unit-2', 'unit-5'],
  );
  assert.deepEqual(found.connection, { type: 'modbus', settings: { host: HOST, port: device.port } });
  assertOnlyRead(device);
});

test('a unit that is busy is asked again', async (t) => {
  let asked = 0;
  const device = await startDevice(t, (request, connection) => {
    asked += 1;
    connection.send(asked < 3 ? exceptionFrame(request, 6) : exceptionFrame(request, 2));
  });
  const { scan } = await openModbusScan(t);
  const call = { options: { units: '1', ranges: false } };
  assert.deepEqual((await scan({ host: HOST, port: device.port }, call)).texts, [
    'unit 1 UNIT responds with exception 2',
  ]);
});

test('a device that answers to every unit identifier is listed once', async (t) => {
  const device = await startDevice(t, (request, connection) => connection.send(answerRead(request)));
  const { scan } = await openModbusScan(t);
  const { assets, notes } = await scan({ host: HOST, port: device.port }, UNITS_ONLY);
  assert.deepEqual(
    assets.map(({ pid }) => pid),
    ['unit-1'],
  );
  assert.match(notes.join(' '), /every unit identifier/);
});

test('a network that answers nothing is scanned to the end, and gives nothing', async (t) => {
  const device = await startDevice(t, () => undefined);
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port, ...SHORT }, UNITS_ONLY);
  assert.deepEqual([found.texts, found.assets, found.isComplete], [[], [], true]);
  assert.deepEqual(
    [...new Set(device.requests.map(({ unitId }) => unitId))],
    [...Array(10).keys(), 254].map((each) => each + 1),
  );
});

test('a network that answers garbage gives nothing', async (t) => {
  const device = await startDevice(t, (_request, connection) =>
    connection.send(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  const { scan } = await openModbusScan(t);
  const call = { options: { units: '1-3', ranges: false } };
  const found = await scan({ host: HOST, port: device.port, ...SHORT }, call);
  assert.deepEqual([found.texts, found.assets], [[], []]);
});

test('an answer of another unit is none, and is told of', async (t) => {
  const device = await startDevice(t, (request, connection) => {
    if (request.unitId === 4) connection.send(answerFrame({ ...request, unitId: 9 }));
    else connection.send(exceptionFrame(request, 0x0b));
  });
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, UNITS_ONLY);
  assert.deepEqual(found.assets, []);
  assert.match(found.notes.join(' '), /Unit 4 sent an invalid response: its unit identifier is 9/);
});

test('a device that closes the connection after each answer is scanned all the same', async (t) => {
  const device = await startDevice(t, (request, connection) => {
    connection.send(request.unitId === 2 ? answerRead(request) : exceptionFrame(request, 0x0b));
    connection.end();
  });
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, UNITS_ONLY);
  assert.deepEqual(found.texts, ['unit 2 UNIT responds']);
  assertOnlyRead(device);
});

test('a device that is not there fails the scan with the reason', async (t) => {
  const device = await startDevice(t, () => undefined);
  const { port } = device;
  await device.close();
  const { scan } = await openModbusScan(t);
  await assert.rejects(scan({ host: HOST, port }, UNITS_ONLY), ConnectionError);
});

test('the identification is read in as many parts as there are', async (t) => {
  const device = await startDevice(t, (request, connection) => {
    const [functionCode, , category, objectId] = request.pdu;
    if (functionCode !== 43) return connection.send(exceptionFrame(request, 2));
    const level = 0x82;
    if (category === 1) {
      const [part, next] = objectId === 0 ? ([[0, 'ACME'], 1] as const) : ([[1, 'M 1'], undefined] as const);
      return connection.send(identify(request, [part], { level, next }));
    }
    return connection.send(
      identify(
        request,
        [
          [4, 'Meter\u0007\u00ad'],
          [5, ''],
          [200, 'private'],
        ],
        { level },
      ),
    );
  });
  const { scan } = await openModbusScan(t);
  const { events, assets } = await scan(
    { host: HOST, port: device.port },
    { options: { units: '1', ranges: false } },
  );
  const found = events.flatMap((event) =>
    event.type === 'found' && event.kind === 'IDENTIFICATION' ? [event.fields] : [],
  );
  assert.deepEqual(found, [{ vendorName: 'ACME', productCode: 'M 1', productName: 'Meter' }]);
  assert.deepEqual(
    assets.map(({ pid, displayName }) => [pid, displayName]),
    [['meter', 'ACME Meter, unit 1']],
  );
});

test('an identification that never ends, or is garbage, costs a bounded number of requests', async (t) => {
  const scripts = [
    // More follows, from the same object, and from ever other ones.
    (request: FaultRequest) => identify(request, [[0, 'A']], { level: 2, next: 0 }),
    (request: FaultRequest) =>
      identify(request, [[request.pdu[3] ?? 0, 'A']], { next: ((request.pdu[3] ?? 0) + 1) & 0xff }),
    (request: FaultRequest) => createFrame({ ...request, pdu: Buffer.from([43, 14, 1, 1, 0xff]) }),
    (request: FaultRequest) =>
      createFrame({ ...request, pdu: Buffer.from([43, 14, 1, 1, 0, 0, 200, 0, 250, 65]) }),
    (request: FaultRequest) => createFrame({ ...request, pdu: Buffer.from([43, 13, 1, 1, 0, 0, 0]) }),
    (request: FaultRequest) => createFrame({ ...request, pdu: Buffer.from([43]) }),
  ];
  for (const script of scripts) {
    const device = await startDevice(t, (request, connection) =>
      connection.send(request.pdu[0] === 43 ? script(request) : exceptionFrame(request, 2)),
    );
    const { scan } = await openModbusScan(t);
    const found = await scan({ host: HOST, port: device.port }, { options: { units: '1', ranges: false } });
    assert.equal(found.isComplete, true);
    const asked = device.requests.filter(({ pdu }) => pdu[0] === 43).length;
    assert.ok(asked >= 1 && asked <= 16, `${asked} requests`);
    assertOnlyRead(device);
  }
});

test('a SunSpec map gives the device, its models, and assets of those that have a template', async (t) => {
  const memory = createSunspecMap(40_000, [
    createCommonModel('ACME', 'Sun 5000', 'SN-7'),
    [113, Array<number>(60).fill(0)],
    [64_999, [1, 2]],
  ]);
  const device = await startDevice(t, (request, connection) => answerFrom(memory, request, connection));
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, { options: { units: '3', ranges: false } });
  assert.deepEqual(found.texts, [
    'unit 3 UNIT responds with exception 2',
    'unit 3 SUNSPEC_DEVICE ACME, Sun 5000, 1.2, SN-7',
    'unit 3 SUNSPEC_MODEL model 1 (common) at 40002',
    'unit 3 SUNSPEC_MODEL model 113 (inverter, three phases, floating point) at 40070',
    'unit 3 SUNSPEC_MODEL model 64999 at 40132',
  ]);
  assert.deepEqual(found.assets, [
    {
      pid: 'sun-5000',
      displayName: 'ACME Sun 5000, unit 3',
      template: 'sunspec-inverter-113',
      parameters: { unitId: 3, modelAt: 40_070 },
    },
  ]);
  assertOnlyRead(device);
});

test('a SunSpec map without end, with impossible lengths or cut off is left, with what it had', async (t) => {
  const cases = [
    // The same model at every address.
    {
      memory: new Map([...Array(60_000).keys()].map((address) => [address, address < 2 ? 0 : 1])),
      models: 100,
    },
    {
      memory: new Map([
        [2, 113],
        [3, 0],
        [4, 113],
        [5, 0],
      ]),
      models: 0,
    },
    {
      memory: new Map([
        [2, 113],
        [3, 65_533],
      ]),
      models: 0,
    },
    {
      memory: new Map([
        [2, 120],
        [3, 1],
        [4, 0],
      ]),
      models: 1,
    },
  ];
  for (const { memory, models } of cases) {
    const all = new Map([...memory, [0, 0x5375], [1, 0x6e53]]);
    const device = await startDevice(t, (request, connection) => answerFrom(all, request, connection));
    const { scan } = await openModbusScan(t);
    const found = await scan({ host: HOST, port: device.port }, { options: { units: '1', ranges: false } });
    assert.equal(found.texts.filter((text) => text.includes('SUNSPEC_MODEL')).length, models);
    assert.match(found.notes.join(' '), /SunSpec: /);
    assert.ok(device.requests.length < 130);
  }
});

test('a scan that is stopped sends nothing more, and gives what it had', async (t) => {
  const stopping = new AbortController();
  const device = await startDevice(t, (request, connection) => {
    connection.send(request.unitId === 2 ? answerRead(request) : exceptionFrame(request, 0x0b));
  });
  const { scan } = await openModbusScan(t);
  const found = await scan(
    { host: HOST, port: device.port },
    {
      signal: stopping.signal,
      onEvent: (event) => {
        if (event.type === 'found' && event.kind === 'RANGE') stopping.abort();
      },
    },
  );
  const { length } = device.requests;
  assert.equal(found.isComplete, false);
  assert.deepEqual(
    found.assets.map(({ pid }) => pid),
    ['unit-2'],
  );
  assert.equal(found.texts.length, 2);
  // The scan has ended, and its connection is closed.
  while (device.openConnectionCount() > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(device.requests.length, length);
  assertOnlyRead(device);
});

test('assets of a connection are read with their values while it is scanned, and its units stay as they were', async (t) => {
  const device = await startDevice(t, (request, connection) => {
    if (request.unitId === 1) connection.send(answerRead(request));
    else connection.send(exceptionFrame(request, 0x0b));
  });
  const channels = [7, 9].map((offset) => ({
    name: `at${offset}`,
    type: 'READ',
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
  }));
  const { registry, scanConfigured, scan } = await openModbusScan(t, {
    drivers: [{ pid: 'line', type: 'modbus', host: HOST, port: device.port }],
    assets: [{ pid: 'pump', driver: 'line', channels }],
  });
  const read = async (): Promise<readonly unknown[]> =>
    (await registry.get('pump').read(['at7', 'at9'])).records.map((record) => record.value ?? record.failure);
  assert.deepEqual(await read(), [7, 9]);
  const rounds: (readonly unknown[])[] = [];
  const over = new AbortController();
  const scanning = scanConfigured('line').finally(() => over.abort());
  while (!over.signal.aborted) rounds.push(await read());
  const found = await scanning;
  assert.ok(rounds.length >= 5, `${rounds.length} rounds`);
  assert.deepEqual([...new Set(rounds.map((values) => values.join()))], ['7,9']);
  assert.deepEqual(found.connection, { pid: 'line', type: 'modbus' });
  assert.equal(device.openConnectionCount(), 1);
  const { units } = registry.getConfigured('line').connection.status();
  assert.deepEqual(
    units.map(({ name, state }) => [name, state]),
    [['unit 1', 'ANSWERING']],
  );
  // The settings of the same device lead to the same connection.
  const again = await scan({ host: HOST, port: device.port }, UNITS_ONLY);
  assert.deepEqual(again.connection, { pid: 'line', type: 'modbus' });
  assertOnlyRead(device);
});

test('all four tables are searched, and what no rule explains is told of', async (t) => {
  const device = await startDevice(t, (request, connection) => {
    const { pdu } = request;
    const [functionCode = 0] = pdu;
    if (functionCode > 4 || functionCode === 2) return connection.send(exceptionFrame(request, 1));
    const end = pdu.readUInt16BE(1) + pdu.readUInt16BE(3);
    // Holding registers are zeros everywhere.
    const isThere =
      functionCode === 3 || (functionCode === 1 ? end <= 20 : end <= 300 && pdu.readUInt16BE(3) <= 30);
    if (!isThere) return connection.send(exceptionFrame(request, functionCode === 1 ? 2 : 3));
    const answer = answerFrame(request);
    connection.send(functionCode === 3 ? answer.fill(0, 9) : answer);
  });
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, { options: { units: '1' } });
  assert.deepEqual(found.texts, [
    'unit 1 UNIT responds',
    'unit 1 RANGE COILS 0-19',
    'unit 1 RANGE INPUT_REGISTERS 0-299',
    'unit 1 RANGE HOLDING_REGISTERS 0-65535',
  ]);
  assert.deepEqual(found.notes, [
    'Unit 1, COILS: all values read are 0.',
    'Unit 1, INPUT_REGISTERS: reads of more than 30 addresses are refused.',
    'Unit 1, HOLDING_REGISTERS: the device responds at every address, always with 0; existing addresses cannot be determined.',
  ]);
  assertOnlyRead(device);
});

test('unit identifiers that are none are refused', async (t) => {
  const { scan } = await openModbusScan(t);
  for (const units of ['', '256', '9-3', '1,', 'all', '1-2-3']) {
    await assert.rejects(scan({ host: HOST, port: 1 }, { options: { units } }), {
      code: 'CONFIGURATION_INVALID',
    });
  }
});

/** Returns a request of function code 23 as one of 3; the same request if it has another. */
function toRead(request: FaultRequest): FaultRequest {
  const [functionCode] = request.pdu;
  if (functionCode !== 23) return request;
  return { ...request, pdu: Buffer.concat([Buffer.from([3]), request.pdu.subarray(1, 5)]) };
}

test('a unit with function code 23 alone is read with it, and the driver gets the setting', async (t) => {
  const memory = createSunspecMap(40_000, [createCommonModel('ACME', 'Valve', 'SN-1')]);
  const device = await startDevice(t, (request, connection) => {
    const [functionCode] = request.pdu;
    if (functionCode !== 23) return connection.send(exceptionFrame(request, 1));
    answerFrom(memory, toRead(request), {
      ...connection,
      send: (frame) => {
        frame[7] = (frame[7] ?? 0) + 20;
        connection.send(frame);
      },
    });
  });
  const { scan } = await openModbusScan(t);
  const settings = { host: HOST, port: device.port };
  const found = await scan(settings, { options: { units: '7', ranges: false } });
  assert.deepEqual(found.texts.slice(0, 2), [
    'unit 7 UNIT responds with exception 1',
    'unit 7 SUNSPEC_DEVICE ACME, Valve, 1.2, SN-1',
  ]);
  assert.deepEqual(found.notes, [
    'Unit 7 supports function code 23 instead of 3; set readFunction: READ_WRITE.',
  ]);
  const units = [{ unitId: 7, readFunction: 'READ_WRITE' }];
  assert.deepEqual(found.connection?.settings, { ...settings, units });
  const written = device.requests.filter(({ pdu }) => pdu[0] === 23).map(({ pdu }) => pdu.readUInt16BE(7));
  assert.deepEqual([...new Set(written)], [0]);
  assertOnlyRead(device);
});

test('a unit without holding registers gets no advice', async (t) => {
  const device = await startDevice(t, (request, connection) => connection.send(exceptionFrame(request, 1)));
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, { options: { units: '1' } });
  assert.deepEqual([found.notes, found.connection?.settings], [[], { host: HOST, port: device.port }]);
});

test('registers that hold the number of a missing value are listed, in a SunSpec map by model', async (t) => {
  const memory = new Map([
    ...createSunspecMap(40_000, [
      createCommonModel('ACME', 'Sun', 'SN-1'),
      [64_999, [230, 0x8000, 0x8000, 7, 0xffff, 1]],
    ]),
    ...[21, 0x8000, 22, 0xffff, 0xffff, 0x7fc0, 0].map((word, offset) => [100 + offset, word] as const),
  ]);
  const device = await startDevice(t, (request, connection) => answerFrom(memory, request, connection));
  const { scan } = await openModbusScan(t);
  const found = await scan({ host: HOST, port: device.port }, { options: { units: '1' } });
  assert.deepEqual(
    found.texts.filter((text) => text.includes('NOT_AVAILABLE')),
    [
      'unit 1 NOT_AVAILABLE HOLDING_REGISTERS 101: 0x8000, not available?',
      'unit 1 NOT_AVAILABLE HOLDING_REGISTERS 103-104: 0xFFFF, not available?',
      'unit 1 NOT_AVAILABLE HOLDING_REGISTERS 105-106: NaN, not available?',
      'unit 1 NOT_AVAILABLE model 64999 at 40073-40074: 0x8000, not available?',
    ],
  );
  assert.match(
    found.notes.join(' '),
    /If the device reports 0x8000 or 0xFFFF or NaN where it has no value, .* notAvailable/,
  );
});

test('a device that refuses connections over TCP may speak UDP', async (t) => {
  const device = await startDevice(t, () => undefined);
  const { port } = device;
  await device.close();
  const { scan } = await openModbusScan(t);
  await assert.rejects(scan({ host: HOST, port }, UNITS_ONLY), { detail: /set transport: udp$/ });
});
