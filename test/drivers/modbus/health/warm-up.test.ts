import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Reading } from '../../../../daemon/channel/driver.ts';
import { testConnection } from '../../../../daemon/plant/asset/connection/connection-test.ts';
import { DriverConnection } from '../../../../daemon/plant/asset/connection/driver-connection.ts';
import { isScanning } from '../../../../daemon/channel/driver.ts';
import { createModbusDriverFactory } from '../../../../drivers/modbus/modbus-driver.ts';
import { optionsSchema } from '../../../../drivers/modbus/scan/scan-options.ts';
import { createDriverContext } from '../../../support/driver-context.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { appendCrc } from '../../../../drivers/modbus/pdu/crc.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../../support/modbus-driver-under-test.ts';
import { createFrame } from '../../../support/modbus-fault-server.ts';

const STEP_MS = 10;
const TRANSPORTS = ['tcp', 'rtu-over-tcp'] as const;

/** A device that swallows what comes in the first milliseconds of each connection. */
interface Dongle {
  readonly settings: Parameters<typeof connectDriverTo>[0];
  readonly clock: ManualClock;
  /** Milliseconds of the first request after its connection, for each connection that had one. */
  readonly firstRequestsMs: readonly number[];
  connectionCount(): number;
}

async function startDongle(
  t: TestContext,
  warmUpMs: number,
  settings: {
    readonly transport: (typeof TRANSPORTS)[number];
    readonly closeAfterIdleMs?: number;
    readonly connectDelayMs?: number;
  },
): Promise<Dongle> {
  const clock = new ManualClock();
  const sockets = new Set<Socket>();
  const firstRequestsMs: number[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    const acceptedMs = clock.monotonicMs();
    let hasAsked = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const ageMs = clock.monotonicMs() - acceptedMs;
      if (!hasAsked) firstRequestsMs.push(ageMs);
      hasAsked = true;
      if (ageMs >= warmUpMs)
        socket.write(settings.transport === 'tcp' ? answerMbap(bytes) : answerRtu(bytes));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    settings: { host: '127.0.0.1', port, ...settings },
    clock,
    firstRequestsMs,
    connectionCount: () => connections,
  };
}

function answerMbap(bytes: Buffer): Buffer {
  const pdu = Buffer.from([bytes[7] ?? 0, 2, 0, 7]);
  return createFrame({ transactionId: bytes.readUInt16BE(0), unitId: bytes[6] ?? 0, pdu });
}

function answerRtu(bytes: Buffer): Buffer {
  return appendCrc(bytes[0] ?? 0, Buffer.from([bytes[1] ?? 0, 2, 0, 7]));
}

async function pass(clock: ManualClock, ms: number): Promise<void> {
  const endMs = clock.monotonicMs() + ms;
  while (clock.monotonicMs() < endMs) {
    for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(STEP_MS);
  }
}

/** Reads once, and lets time pass until there is a result. */
async function read({ driver }: DriverUnderTest, clock: ManualClock): Promise<Reading | undefined> {
  const ended = new AbortController();
  const reading = driver
    .prepareRead([createChannel()])
    .read(noDeadline())
    .finally(() => ended.abort());
  while (!ended.signal.aborted) await pass(clock, STEP_MS);
  return (await reading)[0];
}

for (const transport of TRANSPORTS) {
  for (const closeAfterIdleMs of [undefined, 0]) {
    const name = `over ${transport}${closeAfterIdleMs === 0 ? ', closed when idle,' : ''}`;
    test(`${name} a device that is deaf for 5 seconds after connecting is read`, async (t) => {
      const idle = closeAfterIdleMs === undefined ? {} : { closeAfterIdleMs };
      const dongle = await startDongle(t, 5000, { transport, ...idle });
      const { clock } = dongle;
      await using underTest = await connectDriverTo(dongle.settings, { clock });
      const startMs = clock.monotonicMs();
      while ((await read(underTest, clock))?.value !== 7) {
        assert.ok(clock.monotonicMs() - startMs < 9000, 'no value within 9 seconds');
        await pass(clock, 500);
      }
      for (let turn = 0; turn < 10; turn += 1) {
        await pass(clock, 1000);
        assert.equal((await read(underTest, clock))?.value, 7);
      }
      assert.equal(dongle.connectionCount(), 1);
    });
  }

  test(`over ${transport} the first request waits for connectDelayMs, and so does that of the next connection`, async (t) => {
    const dongle = await startDongle(t, 1500, { transport, connectDelayMs: 2000, closeAfterIdleMs: 0 });
    const { clock } = dongle;
    await using underTest = await connectDriverTo(dongle.settings, { clock });
    assert.equal((await read(underTest, clock))?.value, 7);
    await pass(clock, 5000);
    assert.equal((await read(underTest, clock))?.value, 7);
    assert.equal(dongle.connectionCount(), 2);
    assert.ok(
      dongle.firstRequestsMs.every((ageMs) => ageMs >= 1990 && ageMs < 2200),
      dongle.firstRequestsMs.join(),
    );
    assert.equal(underTest.driver.counters()['timeouts'], 0);
  });

  test(`over ${transport} a connection over which nothing ever comes is opened again after a while`, async (t) => {
    const dongle = await startDongle(t, Number.POSITIVE_INFINITY, { transport });
    const { clock } = dongle;
    await using underTest = await connectDriverTo(dongle.settings, { clock });
    for (let turn = 0; turn < 20; turn += 1) {
      await read(underTest, clock);
      await pass(clock, 1000);
    }
    assert.ok(dongle.connectionCount() > 1);
  });

  test(`over ${transport} neither requests nor probes without an answer close a connection that may warm up`, async (t) => {
    const dongle = await startDongle(t, Number.POSITIVE_INFINITY, { transport });
    const { clock } = dongle;
    await using underTest = await connectDriverTo(dongle.settings, { clock });
    const startMs = clock.monotonicMs();
    while (clock.monotonicMs() - startMs < 9500) {
      await read(underTest, clock);
      await pass(clock, 500);
    }
    assert.equal(underTest.driver.unitStatus()[0]?.state, 'SUSPENDED');
    assert.equal(dongle.connectionCount(), 1);
  });
}

test('a scan finds a device that is deaf after connecting, and says what it needs', async (t) => {
  const dongle = await startDongle(t, 3000, { transport: 'tcp' });
  const { clock } = dongle;
  await using underTest = await connectDriverTo(dongle.settings, { clock });
  const { driver } = underTest;
  assert.ok(isScanning(driver));
  const ended = new AbortController();
  const scan = driver
    .scan(optionsSchema.parse({ units: '1', ranges: false }), {
      signal: noDeadline(),
      report: () => undefined,
      call: (work) => work(noDeadline()),
    })
    .finally(() => ended.abort());
  while (!ended.signal.aborted) await pass(clock, STEP_MS);
  const { assets, notes, settings = {} } = await scan;
  assert.equal(assets.length, 1);
  const [, delayMs] =
    /responds only [34]\.\d s after connecting; set connectDelayMs: (\d[05]00)/.exec(
      String(notes[0]?.message),
    ) ?? [];
  assert.deepEqual(settings, { connectDelayMs: Number(delayMs) });
});

test('a test of a connection waits for such a device, and says what it needs', async (t) => {
  const dongle = await startDongle(t, 3000, { transport: 'tcp' });
  const { clock } = dongle;
  const factory = createModbusDriverFactory();
  const settings = factory.configSchema.parse(dongle.settings);
  const driver = factory.create(settings, createDriverContext({ clock }));
  const connection = new DriverConnection({
    driver,
    endpoint: 'dongle',
    callDeadlineMs: 10_000,
    onStateChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    random: () => 0.5,
  });
  t.after(() => connection.close());
  const config = { pid: 'dongle', type: 'modbus', callDeadlineMs: 10_000, settings };
  const ended = new AbortController();
  const tested = testConnection(
    { config, endpoint: 'dongle', connection },
    { assets: [], factory, clock },
  ).finally(() => ended.abort());
  while (!ended.signal.aborted) await pass(clock, STEP_MS);
  const { outcome, advice } = await tested;
  assert.equal(outcome, 'ANSWERED');
  assert.match(advice.join(), /set connectDelayMs: \d{4}$/);
});
