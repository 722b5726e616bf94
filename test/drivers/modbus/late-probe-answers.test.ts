import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { z } from '../../../daemon/base/schema.ts';
import type { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { asciiFraming, rtuFraming } from '../../../drivers/modbus/pdu/serial-framing.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import { answerFrameOf, answerOf, startSerialSlave } from '../../support/modbus-serial-slave.ts';
import { needs } from '../../support/tests-that-need.ts';
import { writeValues } from '../../support/write-values.ts';

const TIMEOUT_MS = 1000;
/** More than the silence before a request, and less than a probe waits. */
const SILENT_MS = 8;
/** A unit that always answers. */
const LIVING = 5;
/** Units that answer when the test lets them. */
const LATE_UNITS = [4, 6];

/** A device behind any transport. */
interface Device {
  readonly settings: z.input<typeof configSchema>;
  /** Answers that the units owe, by unit, oldest first. */
  readonly owed: Map<number, Buffer[]>;
  /** Sent right before the next answer of the unit that lives, in one piece with it. */
  readonly before: Buffer[];
  unansweredCount(): number;
  broadcastCount(): number;
  /** Puts bytes on the line. */
  send(bytes: Uint8Array): void;
}

interface DeviceState extends Omit<Device, 'settings' | 'send'> {
  /** Returns what to send now. */
  respond(unitId: number, answer: Buffer): Buffer;
}

function createState(): DeviceState {
  const owed = new Map<number, Buffer[]>(LATE_UNITS.map((unitId) => [unitId, []]));
  const before: Buffer[] = [];
  let unanswered = 0;
  let broadcasts = 0;
  return {
    owed,
    before,
    unansweredCount: () => unanswered,
    broadcastCount: () => broadcasts,
    respond(unitId, answer) {
      if (unitId === 0) {
        broadcasts += 1;
        return Buffer.alloc(0);
      }
      const late = owed.get(unitId);
      if (late === undefined) return Buffer.concat([...before.splice(0), answer]);
      late.push(answer);
      unanswered += 1;
      return Buffer.alloc(0);
    },
  };
}

async function startTcp(t: TestContext, pipelineDepth: number): Promise<Device> {
  const state = createState();
  const server = await startFaultServer((request, connection) =>
    connection.send(state.respond(request.unitId, answerFrame(request))),
  );
  t.after(() => server.close());
  const settings = { host: '127.0.0.1', port: server.port, pipelineDepth, responseTimeoutMs: TIMEOUT_MS };
  return {
    ...state,
    settings,
    send: (bytes) => server.forEachConnection((connection) => connection.send(bytes)),
  };
}

async function startRtuOverTcp(t: TestContext): Promise<Device> {
  const state = createState();
  let send = (_bytes: Uint8Array): void => undefined;
  const server = createServer({ noDelay: true }, (socket) => {
    send = (bytes) => void socket.write(bytes);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      // Every read request has eight bytes.
      for (let start = 0; start < bytes.length; start += 8) {
        const request = rtuFraming.parseWhole(bytes.subarray(start, start + 8));
        assert.ok(request);
        send(state.respond(request.unitId, rtuFraming.encode(request.unitId, answerOf(request))));
      }
    });
    t.after(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    ...state,
    settings: { transport: 'rtu-over-tcp', host: '127.0.0.1', port, responseTimeoutMs: TIMEOUT_MS },
    send: (bytes) => send(bytes),
  };
}

async function startSerial(t: TestContext, transport: 'rtu' | 'ascii'): Promise<Device> {
  const framing = transport === 'rtu' ? rtuFraming : asciiFraming;
  const state = createState();
  const slave = await startSerialSlave(
    (request, send) => send(state.respond(request.unitId, answerFrameOf(request, framing))),
    framing,
  );
  t.after(() => slave[Symbol.asyncDispose]());
  const line = { dataBits: 8, parity: 'none', baudRate: 115_200, responseTimeoutMs: TIMEOUT_MS } as const;
  return {
    ...state,
    settings: { transport, device: slave.device, ...line },
    send: (bytes) => slave.send(bytes),
  };
}

/** A driver whose time is moved by hand. */
interface Line {
  readonly device: Device;
  readonly underTest: DriverUnderTest;
  readonly clock: ManualClock;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Moves the clock until a condition holds: while a request to the unit that lives is under way, only as far as a line has to
 * be silent before it.
 */
async function runUntil(line: Line, condition: () => boolean): Promise<void> {
  let newest = -1;
  let movedMs = 0;
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
    const requests = countOf(line, 'requests');
    if (requests !== newest) [newest, movedMs] = [requests, 0];
    const done = countOf(line, 'answers') + countOf(line, 'broadcasts') + line.device.unansweredCount();
    if (requests === done) {
      line.clock.advance(5);
    } else if (movedMs < SILENT_MS) {
      line.clock.advance(1);
      movedMs += 1;
    }
  }
}

async function finish<T>(line: Line, result: Promise<T>): Promise<T> {
  let isDone = false;
  const done = result.finally(() => {
    isDone = true;
  });
  await runUntil(line, () => isDone);
  return done;
}

function stateOf({ underTest }: Line, unitId: number): string | undefined {
  return underTest.driver.unitStatus().find(({ name }) => name === `unit ${unitId}`)?.state;
}

function countOf({ underTest }: Line, counter: string): number {
  return underTest.driver.counters()[counter] ?? 0;
}

async function read(line: Line, unitId: number, offset = unitId): Promise<unknown> {
  const prepared = line.underTest.driver.prepareRead([createChannel({ unitId, offset })]);
  return (await finish(line, prepared.read(noDeadline())))[0]?.value;
}

function owedOf({ device }: Line, unitId: number): Buffer[] {
  return device.owed.get(unitId) ?? [];
}

function takeOwed(line: Line, unitId: number): Buffer {
  const answer = owedOf(line, unitId).shift();
  assert.ok(answer);
  return answer;
}

async function suspend(line: Line, unitId: number): Promise<void> {
  while (stateOf(line, unitId) !== 'SUSPENDED') await read(line, unitId);
  await read(line, LIVING);
}

/** Moves on until every late unit was probed once more, in vain. */
async function missProbes(line: Line): Promise<void> {
  const before = LATE_UNITS.map((unitId) => owedOf(line, unitId).length);
  await runUntil(
    line,
    () =>
      LATE_UNITS.every((unitId, index) => owedOf(line, unitId).length > (before[index] ?? 0)) &&
      countOf(line, 'timeouts') === line.device.unansweredCount(),
  );
  await read(line, LIVING);
}

async function startLine(device: Device): Promise<Line & AsyncDisposable> {
  const clock = new ManualClock();
  const underTest = await connectDriverTo(device.settings, { clock });
  const line = { device, underTest, clock, [Symbol.asyncDispose]: () => underTest.driver.disconnect() };
  await read(line, LIVING);
  for (const unitId of LATE_UNITS) await suspend(line, unitId);
  for (const unitId of LATE_UNITS) owedOf(line, unitId).length = 0;
  return line;
}

const TRANSPORTS: Readonly<Record<string, (t: TestContext) => Promise<Device>>> = {
  tcp: (t) => startTcp(t, 1),
  'tcp, several at once': (t) => startTcp(t, 4),
  'rtu-over-tcp': startRtuOverTcp,
  rtu: (t) => startSerial(t, 'rtu'),
  ascii: (t) => startSerial(t, 'ascii'),
};

for (const [transport, start] of Object.entries(TRANSPORTS)) {
  const options = transport === 'rtu' || transport === 'ascii' ? needs('socat') : {};

  test(
    `${transport}: late answers to probes of two units, each in one piece with the answer of another, show that both are there`,
    options,
    async (t) => {
      await using line = await startLine(await start(t));
      await missProbes(line);
      for (const [index, unitId] of LATE_UNITS.entries()) {
        line.device.before.push(takeOwed(line, unitId));
        assert.equal(await read(line, LIVING, 100 + index), 100 + index);
        assert.equal(stateOf(line, unitId), 'ANSWERING', `unit ${unitId}`);
      }
    },
  );

  test(`${transport}: a late answer between requests shows that the unit is there`, options, async (t) => {
    await using line = await startLine(await start(t));
    await missProbes(line);
    for (const unitId of LATE_UNITS) {
      line.device.send(takeOwed(line, unitId));
      await until(() => stateOf(line, unitId) === 'ANSWERING');
      assert.equal(await read(line, LIVING, 200 + unitId), 200 + unitId);
    }
  });

  test(
    `${transport}: the answer to a probe counts when the next probe is out already`,
    options,
    async (t) => {
      await using line = await startLine(await start(t));
      await missProbes(line);
      await missProbes(line);
      const [unitId = 0] = LATE_UNITS;
      line.device.before.push(takeOwed(line, unitId));
      assert.equal(await read(line, LIVING, 300), 300);
      assert.equal(stateOf(line, unitId), 'ANSWERING');
      assert.equal(stateOf(line, LATE_UNITS[1] ?? 0), 'SUSPENDED');
    },
  );
}

for (const transport of ['rtu', 'ascii'] as const) {
  test(
    `${transport}: a late answer to a probe under a broadcast shows that the unit is there`,
    needs('socat'),
    async (t) => {
      await using line = await startLine(await startSerial(t, transport));
      await missProbes(line);
      const [unitId = 0] = LATE_UNITS;
      const late = takeOwed(line, unitId);
      const broadcast = createChannel({ unitId: 0, offset: 9 });
      const sent = line.device.broadcastCount();
      const writing = writeValues(line.underTest.driver, [{ channel: broadcast, value: 1 }], noDeadline());
      let movedMs = 0;
      await until(() => {
        if (movedMs < SILENT_MS) line.clock.advance(1);
        movedMs += 1;
        return line.device.broadcastCount() > sent;
      });
      line.device.send(late);
      await until(() => stateOf(line, unitId) === 'ANSWERING');
      line.clock.advance(TIMEOUT_MS);
      assert.equal((await writing)[0]?.failure, undefined);
    },
  );
}
