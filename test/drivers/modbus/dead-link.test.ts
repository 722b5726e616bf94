import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import type { z } from '../../../daemon/base/schema.ts';
import type { Reading } from '../../../daemon/channel/driver.ts';
import type { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { asciiFraming, rtuFraming } from '../../../drivers/modbus/pdu/serial-framing.ts';
import { PROBE_PAUSE_MS } from '../../../drivers/modbus/health/unit-health.ts';
import { getCertificateAuthority, getServerCertificate } from '../../support/certificate-authority.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { createFrame } from '../../support/modbus-fault-server.ts';
import { answerFrameOf, answerOf, startSerialSlave } from '../../support/modbus-serial-slave.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

const TIMEOUT_MS = 1000;
const PROBE_TIMEOUT_MS = 10;
/** More than the characters of request and answer take on a serial line. */
const WIRE_MS = 20;

/** A device on a network; once dead, it is silent for ever on the connections that are open then. */
interface Device {
  readonly settings: z.input<typeof configSchema>;
  /** Units asked so far, in their order. */
  readonly asked: readonly number[];
  readonly deadUnits: Set<number>;
  connectionCount(): number;
  readonly unansweredCount: () => number;
  /** Connections are silent from now on, those that are open and new ones. */
  die(): void;
  /** New connections are answered from now on. */
  revive(): void;
}

type Transport = 'tcp' | 'tcp-tls' | 'rtu-over-tcp';

function answerRtu(bytes: Buffer): { readonly unitId: number; readonly answer: Buffer } {
  const request = rtuFraming.parseWhole(bytes);
  assert.ok(request);
  return { unitId: request.unitId, answer: rtuFraming.encode(request.unitId, answerOf(request)) };
}

function answerMbap(bytes: Buffer): { readonly unitId: number; readonly answer: Buffer } {
  const request = { transactionId: bytes.readUInt16BE(0), unitId: bytes[6] ?? 0, pdu: bytes.subarray(7) };
  return { unitId: request.unitId, answer: createFrame({ ...request, pdu: answerOf(request) }) };
}

async function startDevice(t: TestContext, transport: Transport): Promise<Device> {
  const asked: number[] = [];
  const deadUnits = new Set<number>();
  const open = new Set<Socket>();
  const dead = new WeakSet<Socket>();
  let isDead = false;
  let connections = 0;
  let unanswered = 0;
  const accept = (socket: Socket): void => {
    connections += 1;
    open.add(socket);
    if (isDead) dead.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      const { unitId, answer } = transport === 'rtu-over-tcp' ? answerRtu(bytes) : answerMbap(bytes);
      asked.push(unitId);
      if (dead.has(socket) || deadUnits.has(unitId)) unanswered += 1;
      else socket.write(answer);
    });
  };
  const { certificate: cert, privateKey: key } = await getServerCertificate();
  const server = transport === 'tcp-tls' ? createTlsServer({ cert, key }, accept) : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const common = { host: '127.0.0.1', port, responseTimeoutMs: TIMEOUT_MS };
  const certificateAuthoritiesFile = path.join(createTemporaryDirectory(t), 'ca.pem');
  writeFileSync(certificateAuthoritiesFile, (await getCertificateAuthority()).certificate);
  return {
    settings:
      transport === 'tcp-tls'
        ? { ...common, transport, certificateAuthoritiesFile }
        : { ...common, transport },
    asked,
    deadUnits,
    connectionCount: () => connections,
    unansweredCount: () => unanswered,
    die() {
      isDead = true;
      for (const socket of open) dead.add(socket);
    },
    revive() {
      isDead = false;
    },
  };
}

/** A driver whose time is moved by hand, and how many of its requests were not answered. */
interface Line {
  readonly underTest: DriverUnderTest;
  readonly clock: ManualClock;
  readonly unansweredCount: () => number;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function countOf({ underTest }: Line, counter: string): number {
  return underTest.driver.counters()[counter] ?? 0;
}

function stateOf({ underTest }: Line, unitId: number): string | undefined {
  return underTest.driver.unitStatus().find(({ name }) => name === `unit ${unitId}`)?.state;
}

async function read({ underTest }: Line, unitId: number): Promise<Reading | undefined> {
  const channel = createChannel({ unitId, offset: unitId });
  return (await underTest.driver.prepareRead([channel]).read(noDeadline()))[0];
}

async function suspendUnit(line: Line, unitId: number): Promise<void> {
  while (stateOf(line, unitId) !== 'SUSPENDED') {
    const unanswered = line.unansweredCount();
    // A serial line sends nothing to a silent unit during this time.
    line.clock.advance(TIMEOUT_MS);
    const reading = read(line, unitId);
    await until(() => line.unansweredCount() > unanswered);
    line.clock.advance(TIMEOUT_MS + WIRE_MS);
    await reading;
  }
}

/** Moves on to the next probe and to its end. */
async function probe(line: Line, unitId: number): Promise<void> {
  const unanswered = line.unansweredCount();
  const timeouts = countOf(line, 'timeouts');
  line.clock.advance(PROBE_PAUSE_MS);
  await until(() => stateOf(line, unitId) === 'ANSWERING' || line.unansweredCount() > unanswered);
  if (stateOf(line, unitId) === 'ANSWERING') return;
  line.clock.advance(PROBE_TIMEOUT_MS + WIRE_MS);
  await until(() => countOf(line, 'timeouts') > timeouts);
  await new Promise((resolve) => setImmediate(resolve));
}

for (const transport of ['tcp', 'tcp-tls', 'rtu-over-tcp'] as const) {
  for (const probes of [0, 1]) {
    test(`over ${transport} a dead connection is replaced: its unit is back within two probes, ${probes} before`, async (t) => {
      const device = await startDevice(t, transport);
      const clock = new ManualClock();
      await using underTest = await connectDriverTo(device.settings, { clock });
      const line = { underTest, clock, unansweredCount: device.unansweredCount };
      await read(line, 4);
      device.die();
      await suspendUnit(line, 4);
      for (let turn = 0; turn < probes; turn += 1) await probe(line, 4);
      device.revive();
      const before = countOf(line, 'probes');
      while (stateOf(line, 4) !== 'ANSWERING') await probe(line, 4);
      // One that was opened meanwhile is kept for 10 seconds, because its device may have to warm up; the next two find it dead.
      assert.ok(countOf(line, 'probes') - before <= 4);
      assert.equal((await read(line, 4))?.value, 4);
    });
  }
}

test('over rtu-over-tcp a unit is back by the second probe of a connection that went dead under reads', async (t) => {
  const device = await startDevice(t, 'rtu-over-tcp');
  const clock = new ManualClock();
  await using underTest = await connectDriverTo(device.settings, { clock });
  const line = { underTest, clock, unansweredCount: device.unansweredCount };
  await read(line, 4);
  device.die();
  device.revive();
  await suspendUnit(line, 4);
  await probe(line, 4);
  await probe(line, 4);
  assert.equal(stateOf(line, 4), 'ANSWERING');
  assert.equal(device.connectionCount(), 2);
});

test('over rtu-over-tcp the connection stays while another unit lives, although no client reads that unit', async (t) => {
  const device = await startDevice(t, 'rtu-over-tcp');
  const clock = new ManualClock();
  await using underTest = await connectDriverTo(device.settings, { clock });
  const line = { underTest, clock, unansweredCount: device.unansweredCount };
  await read(line, 4);
  await read(line, 5);
  device.deadUnits.add(4);
  await suspendUnit(line, 4);
  for (let turn = 0; turn < 4; turn += 1) await probe(line, 4);
  assert.equal(device.connectionCount(), 1);
  assert.equal(stateOf(line, 5), 'ANSWERING');
  assert.ok(device.asked.filter((unitId) => unitId === 5).length > 1);
});

for (const [transport, framing] of [
  ['rtu', rtuFraming],
  ['ascii', asciiFraming],
] as const) {
  test(
    `a serial line in ${transport} mode on which nothing answers is reopened`,
    needs('socat'),
    async () => {
      const clock = new ManualClock();
      let isDead = false;
      let unanswered = 0;
      await using slave = await startSerialSlave((request, send) => {
        if (isDead) unanswered += 1;
        else send(answerFrameOf(request, framing));
      }, framing);
      const settings = {
        transport,
        device: slave.device,
        baudRate: 115_200,
        parity: 'none',
        dataBits: 8,
        responseTimeoutMs: TIMEOUT_MS,
      } as const;
      await using underTest = await connectDriverTo(settings, { clock });
      const line = { underTest, clock, unansweredCount: () => unanswered };
      await read(line, 4);
      isDead = true;
      await suspendUnit(line, 4);
      await probe(line, 4);
      isDead = false;
      clock.advance(PROBE_PAUSE_MS);
      while (stateOf(line, 4) !== 'ANSWERING') {
        await new Promise((resolve) => setTimeout(resolve, 2));
        // The system may take a moment to release the line.
        clock.advance(1);
      }
      assert.equal(countOf(line, 'reconnects'), 1);
    },
  );
}
