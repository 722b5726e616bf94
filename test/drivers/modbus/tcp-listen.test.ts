import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { isAdvising } from '../../../daemon/channel/advising-driver.ts';
import type { Driver, Reading } from '../../../daemon/channel/driver.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import { createModbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { appendCrc } from '../../../drivers/modbus/pdu/crc.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { findFreePort } from '../../support/free-ports.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, answerPdu } from '../../support/modbus-fault-server.ts';
import type { FaultRequest } from '../../support/modbus-fault-server.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { needs } from '../../support/tests-that-need.ts';

const factory = createModbusDriverFactory();
const logger = createMemoryLogger();

interface Listening {
  readonly driver: Driver<ModbusAddress>;
  readonly losses: readonly Error[];
  readonly connect: () => Promise<void>;
  readonly read: (offset: number) => Promise<Reading | undefined>;
}

/** Creates a driver that expects a device; the test context closes it. */
function listen(t: TestContext, listenPort: number, settings: object, clock?: Clock): Listening {
  const config = configSchema.parse({ transport: 'tcp-listen', listenPort, ...settings });
  const context = createDriverContext({ logger, ...(clock === undefined ? {} : { clock }) });
  const driver = factory.create(config, context);
  const losses: Error[] = [];
  t.after(async () => {
    await driver.disconnect();
    driver.close?.();
  });
  return {
    driver,
    losses,
    connect: () => driver.connect(noDeadline(), (error) => losses.push(error)),
    read: async (offset) => (await driver.prepareRead([createChannel({ offset })]).read(noDeadline())).at(0),
  };
}

interface DeviceOptions {
  readonly more?: number;
  /** Sends the answer in another way. */
  readonly send?: (answer: Buffer, socket: Socket) => void;
  readonly framing?: 'RTU' | 'MBAP';
}

/** Connects a device that answers register reads, until the port is open; the test context ends it. */
async function call(
  t: TestContext,
  port: number,
  packet: Uint8Array,
  { more = 0, send = (answer, to) => void to.write(answer), framing = 'RTU' }: DeviceOptions = {},
): Promise<Socket> {
  const socket = await dial(port);
  t.after(() => socket.destroy());
  socket.write(packet);
  socket.on('data', (bytes: Buffer) => {
    const isRtu = framing === 'RTU';
    const request: FaultRequest = {
      transactionId: isRtu ? 0 : bytes.readUInt16BE(0),
      unitId: (isRtu ? bytes[0] : bytes[6]) ?? 0,
      pdu: isRtu ? bytes.subarray(1, -2) : bytes.subarray(7),
      index: 0,
      connection: 0,
    };
    send(isRtu ? appendCrc(request.unitId, answerPdu(request, more)) : answerFrame(request, more), socket);
  });
  return socket;
}

async function dial(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const isConnected = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('close', () => resolve(false));
    });
    if (isConnected === true) return socket;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

// Not by `once`, which fails with an error of the socket.
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

const DTU = Buffer.from('DTU01');
const WAIT = { connectTimeoutMs: 10_000 };

test('a device is read that registers with a packet, sends heartbeats, or comes from an address', async (t) => {
  for (const identify of [
    { registration: 'DTU01' },
    { heartbeat: 'hex:44 54 55 30 31' },
    { address: '127.0.0.1' },
  ]) {
    const port = await findFreePort();
    const { driver, connect: open, read } = listen(t, port, { identify, ...WAIT });
    const opening = open();
    await call(t, port, 'address' in identify ? Buffer.alloc(0) : DTU);
    await opening;
    assert.equal((await read(7))?.value, 7);
    await driver.disconnect();
  }
});

test('several drivers share a port, even if the packet of one begins with that of another', async (t) => {
  const port = await findFreePort();
  const one = listen(t, port, { identify: { registration: 'DTU01' }, ...WAIT });
  const other = listen(t, port, { identify: { registration: 'DTU012' }, ...WAIT });
  const opening = Promise.all([one.connect(), other.connect()]);
  await call(t, port, Buffer.from('DTU012'), { more: 1000 });
  await call(t, port, DTU);
  await opening;
  assert.equal((await one.read(7))?.value, 7);
  assert.equal((await other.read(7))?.value, 1007);
});

test('a device that connects again replaces its former connection', async (t) => {
  const port = await findFreePort();
  const {
    driver,
    losses,
    connect: open,
    read,
  } = listen(t, port, { identify: { registration: 'DTU01' }, ...WAIT });
  const opening = open();
  const former = await call(t, port, DTU);
  await opening;
  assert.equal((await read(7))?.value, 7);
  await call(t, port, DTU, { more: 1000 });
  await closed(former);
  assert.match(losses[0]?.message ?? '', /the device has connected again/);
  await open();
  assert.equal((await read(7))?.value, 1007);
  assert.equal(driver.counters()['replacedConnections'], 1);
});

test('an unknown device is refused, named in the next failure, counted, and logged once', async (t) => {
  const port = await findFreePort();
  const clock = new ManualClock();
  const { driver, connect: open } = listen(t, port, { identify: { registration: 'DTU01' } }, clock);
  const opening = open();
  const before = logger.lines.filter(({ event }) => event === 'device.connectionRefused').length;
  for (let turn = 0; turn < 3; turn += 1) {
    const unknown = await dial(port);
    unknown.write('OTHER');
    await closed(unknown);
  }
  clock.advance(5000);
  await assert.rejects(opening, (error: { readonly code?: string; readonly detail?: string }) => {
    assert.equal(error.code, 'DEVICE_NOT_CONNECTED');
    assert.equal(
      error.detail,
      `DTU01 on port ${port} has not connected; refused: 127.0.0.1, which sent OTHER`,
    );
    return true;
  });
  assert.ok(isAdvising(driver));
  assert.deepEqual(driver.listAdvice(), [
    `127.0.0.1 connects to port ${port} and sends OTHER first; if this is the device, set identify.registration: OTHER`,
  ]);
  assert.equal(driver.counters()['refusedConnections'], 3);
  const logged = logger.lines.filter(({ event }) => event === 'device.connectionRefused').slice(before);
  assert.equal(logged.length, 1);
});

test('connections that say nothing are bounded in number and time', async (t) => {
  const port = await findFreePort();
  const clock = new ManualClock();
  const settings = { identify: { registration: 'DTU01' }, connectTimeoutMs: 60_000 };
  const { driver, connect: open, read } = listen(t, port, settings, clock);
  const opening = open();
  const silent = [];
  for (let turn = 0; turn < 32; turn += 1) silent.push(await dial(port));
  await closed(connect(port, '127.0.0.1').on('error', () => undefined));
  assert.equal(driver.counters()['refusedConnections'], 1);
  clock.advance(30_000);
  await Promise.all(silent.map(closed));
  assert.equal(driver.counters()['refusedConnections'], 33);
  await call(t, port, DTU);
  await opening;
  assert.equal((await read(7))?.value, 7);
});

const HEARTBEAT = Buffer.from([0x00, 0x07]);
const SENDS: Readonly<Record<string, (answer: Buffer, socket: Socket) => void>> = {
  'before the answer': (answer, socket) => void socket.write(Buffer.concat([HEARTBEAT, answer])),
  'after the answer': (answer, socket) => void socket.write(Buffer.concat([answer, HEARTBEAT, HEARTBEAT])),
  'on its own before the answer': (answer, socket) => {
    for (let turn = 0; turn < 6; turn += 1) socket.write(HEARTBEAT);
    setTimeout(() => socket.write(answer), 70);
  },
  'in front of the last bytes of the answer, which are like it': (answer, socket) => {
    socket.write(answer.subarray(0, 3));
    setTimeout(() => socket.write(answer.subarray(3)), 70);
  },
};

for (const framing of ['RTU', 'MBAP'] as const) {
  for (const [name, send] of Object.entries(SENDS)) {
    test(`over ${framing} frames a heartbeat ${name} changes no value`, async (t) => {
      const port = await findFreePort();
      const identify = { heartbeat: 'hex:0007' };
      const { driver, connect: open, read } = listen(t, port, { identify, framing, ...WAIT });
      const opening = open();
      await call(t, port, HEARTBEAT, { send, framing });
      await opening;
      // The value of register 7 is the heartbeat itself, and ends an answer in MBAP frames.
      for (const offset of [7, 7, 8]) assert.equal((await read(offset))?.value, offset);
      assert.equal(driver.counters()['lateFrames'], 0);
      assert.equal(driver.counters()['reconnects'], 0);
    });
  }
}

test('a port that another program has open is a failure that names the port', async (t) => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as { readonly port: number };
  const { connect: open } = listen(t, port, { identify: { address: '127.0.0.1' } });
  await assert.rejects(open(), (error: { readonly code?: string; readonly detail?: string }) => {
    assert.equal(error.code, 'LISTEN_FAILED');
    assert.match(error.detail ?? '', new RegExp(`port ${port} is in use by `));
    return true;
  });
});

test('the port stays open between two attempts, and closes with the driver', async (t) => {
  const port = await findFreePort();
  const clock = new ManualClock();
  const { driver, connect: open, read } = listen(t, port, { identify: { registration: 'DTU01' } }, clock);
  const opening = open();
  const dialled = await dial(port);
  dialled.destroy();
  clock.advance(5000);
  await assert.rejects(opening, { code: 'DEVICE_NOT_CONNECTED' });
  await driver.disconnect();
  await call(t, port, DTU);
  await open();
  assert.equal((await read(7))?.value, 7);
  await driver.disconnect();
  driver.close?.();
  const refused = connect(port, '127.0.0.1');
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNREFUSED');
});

for (const [name, start] of PYMODBUS_SERVERS) {
  test(`a server of ${name} behind a modem that registers is read`, needs(name), async (t) => {
    const server = await start('rtu-over-tcp');
    t.after(() => server.close());
    const port = await findFreePort();
    const { connect: open, read } = listen(t, port, { identify: { registration: 'DTU01' }, ...WAIT });
    const opening = open();
    const modem = await dial(port);
    const line = connect(server.port, '127.0.0.1');
    t.after(() => [modem, line].forEach((socket) => socket.destroy()));
    modem.write(DTU);
    modem.pipe(line).pipe(modem);
    await opening;
    assert.equal((await read(123))?.value, 123);
  });
}

const FAULTS: readonly (readonly [settings: object, path: string])[] = [
  [{ listenPort: 502, identify: { address: '192.0.2.7' } }, 'listenPort'],
  [{ listenPort: 5020 }, 'identify'],
  [{ listenPort: 5020, identify: {} }, 'identify'],
  [{ listenPort: 5020, identify: { address: '192.0.2.7', registration: 'a' } }, 'identify'],
  [{ listenPort: 5020, identify: { address: 'meter.example' } }, 'identify.address'],
  [{ listenPort: 5020, identify: { registration: 'hex:0' } }, 'identify.registration'],
  [{ listenPort: 5020, identify: { heartbeat: '' } }, 'identify.heartbeat'],
];

for (const [settings, path] of FAULTS) {
  test(`the settings ${JSON.stringify(settings)} are refused at ${path}`, () => {
    const issues = configSchema.safeParse({ transport: 'tcp-listen', ...settings }).error?.issues ?? [];
    assert.deepEqual([...new Set(issues.map((issue) => issue.path.join('.')))], [path]);
  });
}
