import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../../../daemon/base/schema.ts';
import { isAdapting, isInspecting } from '../../../daemon/channel/driver.ts';
import type { Driver, Reading } from '../../../daemon/channel/driver.ts';
import { LateResponseGuard } from '../../../drivers/modbus/link/late-response-guard.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import type { ModbusConfig } from '../../../drivers/modbus/modbus-config.ts';
import { createModbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { UnitSettingsTable } from '../../../drivers/modbus/unit-settings.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';

function read({ driver }: DriverUnderTest, unitId: number, offset = 0): Promise<readonly Reading[]> {
  return driver.prepareRead([createChannel({ unitId, offset })]).read(noDeadline());
}

/** Runs the driver and the server until a condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test('a unit has the settings of the driver, except those of its own', () => {
  const config = configSchema.parse({
    host: '192.0.2.7',
    maximumGap: 4,
    units: [{ unitId: 7, responseTimeoutMs: 5000, retries: 3 }],
  });
  const table = new UnitSettingsTable(config);
  const { responseTimeoutMs, retries, maximumGap } = table.of(7);
  assert.deepEqual([responseTimeoutMs, retries, maximumGap], [5000, 3, 4]);
  assert.equal(table.of(8).responseTimeoutMs, 1000);
});

test('settings that name a unit twice are refused, and the unit is named', () => {
  const units = [{ unitId: 7 }, { unitId: 8 }, { unitId: 7, maximumGap: 3 }];
  assert.deepEqual(check(configSchema, { host: '192.0.2.7', units }).faults, [
    {
      path: ['units', 2, 'unitId'],
      message: 'unit 7 already has settings; expected each unit once',
      reasons: [
        {
          code: 'UNIT_REPEATED',
          message: 'unit 7 already has settings; expected each unit once',
          parameters: { unit: 7 },
        },
      ],
    },
  ]);
});

for (const [name, unit] of [
  ['unitId', { unitId: 256 }],
  ['retries', { unitId: 1, retries: 4 }],
  ['maximumRegistersPerRequest', { unitId: 1, maximumRegistersPerRequest: 126 }],
] as const) {
  test(`the settings of a unit refuse a wrong ${name}`, () => {
    const faults = check(configSchema, { host: '192.0.2.7', units: [unit] }).faults ?? [];
    assert.deepEqual(
      faults.map(({ path }) => path),
      [['units', 0, name]],
    );
  });
}

test('a unit is waited for as long as its own time-out says, and others as long as that of the driver', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer(() => undefined);
  await using underTest = await connectDriver(server.port, {
    clock,
    units: [{ unitId: 7, responseTimeoutMs: 5000 }],
  });
  const failures: string[] = [];
  for (const [unitId, timeoutMs] of [
    [8, 1000],
    [7, 5000],
  ] as const) {
    const reading = read(underTest, unitId);
    await server.received(failures.length + 1);
    clock.advance(timeoutMs - 1);
    clock.advance(1);
    failures.push((await reading)[0]?.failure?.message ?? '');
  }
  assert.deepEqual(failures, [
    'unit 8 did not respond within 1000 ms',
    'unit 7 did not respond within 5000 ms',
  ]);
});

test('limits and gaps of requests are those of their unit', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port, {
    units: [{ unitId: 7, maximumRegistersPerRequest: 2, maximumGap: 1 }],
  });
  const channels = [7, 8].flatMap((unitId) => [0, 2, 3].map((offset) => createChannel({ unitId, offset })));
  await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.deepEqual(
    server.requests.map(({ unitId, pdu }) => [unitId, pdu.readUInt16BE(1), pdu.readUInt16BE(3)]),
    [
      [7, 0, 1],
      [7, 2, 2],
      [8, 0, 1],
      [8, 2, 2],
    ],
  );
});

test('the pause of a unit follows its own exchanges, and others are asked in the meantime', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port, {
    clock,
    units: [{ unitId: 7, delayBetweenRequestsMs: 500 }],
  });
  await read(underTest, 7);
  const second = read(underTest, 7, 1);
  await read(underTest, 8);
  await read(underTest, 8);
  assert.deepEqual(
    server.requests.map(({ unitId }) => unitId),
    [7, 8, 8],
  );
  clock.advance(499);
  await read(underTest, 8);
  assert.equal(server.requests.length, 4);
  clock.advance(1);
  assert.equal((await second)[0]?.value, 1);
});

test('a unit with a pause of 0 does not wait for the pause of the driver', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port, {
    clock: new ManualClock(),
    delayBetweenRequestsMs: 500,
    units: [{ unitId: 7, delayBetweenRequestsMs: 0 }],
  });
  await read(underTest, 7);
  assert.equal((await read(underTest, 7, 3))[0]?.value, 3);
});

test('a lost link is tried again as often as the unit allows', async () => {
  await using server = await startFaultServer((_, connection) => connection.reset());
  await using underTest = await connectDriver(server.port, {
    retries: 0,
    units: [{ unitId: 7, retries: 3 }],
  });
  await assert.rejects(read(underTest, 8));
  await underTest.driver.connect(noDeadline(), () => undefined);
  await assert.rejects(read(underTest, 7));
  assert.deepEqual(
    server.requests.map(({ unitId }) => unitId),
    [8, 7, 7, 7, 7],
  );
});

test('a unit that is slow by its own time-out does not lengthen the probes of others', async () => {
  const clock = new ManualClock();
  const slow: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    if (request.unitId === 7) slow.push(() => connection.send(answerFrame(request)));
  });
  await using underTest = await connectDriver(server.port, {
    clock,
    units: [{ unitId: 7, responseTimeoutMs: 60_000 }],
  });
  for (let turn = 0; turn < 2; turn += 1) {
    const silent = read(underTest, 8);
    await server.received(turn + 1);
    clock.advance(1000);
    await silent;
  }
  const reading = read(underTest, 7);
  await until(() => slow.length === 1);
  clock.advance(3000);
  slow[0]?.();
  await reading;
  clock.advance(1000);
  const probe = server.requests.length + 1;
  await server.received(probe);
  assert.equal(server.requests.at(-1)?.unitId, 8);
  clock.advance(10);
  const [unit] = underTest.driver.unitStatus();
  assert.equal(unit?.name, 'unit 8');
  await until(() => underTest.driver.unitStatus()[0]?.counters['timeouts'] === 3);
});

test('others of the same read do not wait for the pause of a unit', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port, {
    clock,
    units: [{ unitId: 7, delayBetweenRequestsMs: 500 }],
  });
  const channels = [
    createChannel({ unitId: 7, offset: 0 }),
    createChannel({ unitId: 7, offset: 9 }),
    createChannel({ unitId: 8, offset: 3 }),
  ];
  const reading = underTest.driver.prepareRead(channels).read(noDeadline());
  await server.received(2);
  assert.deepEqual(
    server.requests.map(({ unitId }) => unitId),
    [7, 8],
  );
  await until(() => underTest.driver.counters()['answers'] === 2);
  clock.advance(500);
  assert.deepEqual(
    (await reading).map(({ value }) => value),
    [0, 9, 3],
  );
});

test('the probes of a slow unit take at most a fifth of the line', async () => {
  const clock = new ManualClock();
  const slow: (() => void)[] = [];
  await using server = await startFaultServer((request, connection) => {
    slow.push(() => connection.send(answerFrame(request)));
  });
  await using underTest = await connectDriver(server.port, {
    clock,
    units: [{ unitId: 7, responseTimeoutMs: 60_000 }],
  });
  const first = read(underTest, 7);
  await server.received(1);
  clock.advance(3000);
  slow[0]?.();
  await first;
  for (let turn = 0; turn < 2; turn += 1) {
    const silent = read(underTest, 7);
    await server.received(turn + 2);
    clock.advance(60_000);
    await silent;
  }
  clock.advance(4000);
  await server.received(4);
  clock.advance(12_000);
  await until(() => underTest.driver.unitStatus()[0]?.counters['timeouts'] === 3);
  assert.equal(underTest.driver.unitStatus()[0]?.nextProbeAtMs, clock.epochMs() + 48_000);
});

test('after a time-out a unit is left alone for its own time-out, and others for theirs', () => {
  const clock = new ManualClock();
  const guard = new LateResponseGuard(clock, (unitId) => (unitId === 7 ? 5000 : 1000));
  guard.begin(7);
  guard.begin(8);
  clock.advance(600);
  guard.extend();
  assert.deepEqual([guard.remainingMs(7), guard.remainingMs(8)], [5000, 1000]);
  clock.advance(1000);
  assert.deepEqual([guard.remainingMs(7), guard.remainingMs(8)], [4000, 0]);
});

test('the plan of a read on a serial line counts the pause of the unit', () => {
  const wireMsOf = (delayBetweenRequestsMs: number): number => {
    const units = [{ unitId: 1, delayBetweenRequestsMs }];
    const config = configSchema.parse({ transport: 'rtu', device: '/dev/null', units });
    const driver = createModbusDriverFactory().create(config, createDriverContext());
    const [request] = driver.prepareRead(createRegisterChannels(0, 1)).describe?.() ?? [];
    return request?.wireMs ?? Number.NaN;
  };
  assert.equal(Math.round(wireMsOf(500) - wireMsOf(300)), 200);
});

test('a change of the settings of units alone needs no new connection', () => {
  const configure = (settings: object): ModbusConfig =>
    configSchema.parse({ host: '192.0.2.7', units: [{ unitId: 7 }], ...settings });
  const canAdapt = (settings: object): boolean | undefined =>
    createModbusDriverFactory().canAdapt?.(configure({}), configure(settings));
  assert.equal(canAdapt({ units: [{ unitId: 7, retries: 2 }, { unitId: 8 }] }), true);
  assert.equal(canAdapt({ units: [], responseTimeoutMs: 2000 }), false);
  assert.equal(canAdapt({ port: 503 }), false);
});

test('changed settings of a unit hold for the next request, on the same connection', async () => {
  const clock = new ManualClock();
  await using server = await startFaultServer((request, connection) => {
    if (request.pdu.readUInt16BE(1) !== 99) connection.send(answerFrame(request));
  });
  const configure = (units: object[]): ModbusConfig =>
    configSchema.parse({ host: '127.0.0.1', port: server.port, units });
  const driver: Driver = createModbusDriverFactory().create(configure([]), createDriverContext({ clock }));
  await driver.connect(noDeadline(), () => undefined);
  const prepared = driver.prepareRead(createRegisterChannels(0, 4));
  await prepared.read(noDeadline());
  assert.ok(isAdapting(driver));
  driver.adapt(configure([{ unitId: 1, maximumRegistersPerRequest: 2, responseTimeoutMs: 300 }]));
  await prepared.read(noDeadline());
  assert.deepEqual(
    server.requests.map(({ pdu }) => pdu.readUInt16BE(3)),
    [4, 2, 2],
  );
  assert.equal(server.connectionCount(), 1);
  const silent = driver.prepareRead(createRegisterChannels(99, 1)).read(noDeadline());
  await server.received(4);
  clock.advance(300);
  assert.equal((await silent)[0]?.failure?.code, 'MODBUS_NO_RESPONSE');
  await driver.disconnect();
});

test('inspecting a channel stays within the limit of its unit', async () => {
  await using server = await startFaultServer((request, connection) => {
    const quantity = request.pdu.readUInt16BE(3);
    connection.send(quantity > 2 ? exceptionFrame(request, 3) : answerFrame(request));
  });
  await using underTest = await connectDriver(server.port, {
    units: [{ unitId: 7, maximumRegistersPerRequest: 2 }],
  });
  const driver: Driver = underTest.driver;
  assert.ok(isInspecting(driver));
  const inspected = await driver.inspect(createChannel({ unitId: 7 }), noDeadline());
  assert.ok('bytes' in inspected);
  assert.equal(inspected.bytes.length, 4);
});
