import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import type { WriteOutcome } from '../../../daemon/channel/write-step.ts';
import { isInspecting } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultRequest, FaultServer } from '../../support/modbus-fault-server.ts';
import { writeValues } from '../../support/write-values.ts';

const RESPONSE_TIMEOUT_MS = 1000;
const MAXIMUM_PAUSE_MS = 100_000;

/** A device that ignores every request that touches one of some registers. */
interface Device extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly underTest: DriverUnderTest;
  /** Registers that are ignored; of a whole unit when it is in `deadUnits`. */
  readonly ignored: Set<number>;
  readonly ignoredWrites: Set<number>;
  readonly deadUnits: Set<number>;
  /** Requests that got no answer. */
  unansweredCount(): number;
  /** Waits for the result; moves the clock on by a time-out for each request that gets no answer. */
  settle<T>(result: Promise<T>): Promise<T>;
  read(offsets: readonly number[], unitId?: number): Promise<readonly Reading[]>;
  write(offset: number): Promise<WriteOutcome | undefined>;
  stateOf(unitId: number): string | undefined;
}

function touches({ pdu }: FaultRequest, registers: ReadonlySet<number>): boolean {
  const offset = pdu.readUInt16BE(1);
  const quantity = pdu[0] === 6 ? 1 : pdu.readUInt16BE(3);
  return [...registers].some((register) => register >= offset && register < offset + quantity);
}

async function startDevice(settings: { readonly pipelineDepth?: number } = {}): Promise<Device> {
  const clock = new ManualClock();
  const ignored = new Set<number>();
  const ignoredWrites = new Set<number>();
  const deadUnits = new Set<number>();
  let unanswered = 0;
  const server = await startFaultServer((request, connection) => {
    const isWrite = (request.pdu[0] ?? 0) > 4;
    if (deadUnits.has(request.unitId) || touches(request, isWrite ? ignoredWrites : ignored)) unanswered += 1;
    else connection.send(answerFrame(request));
  });
  const underTest = await connectDriver(server.port, { clock, ...settings });
  const { driver } = underTest;
  const settle = async <T>(result: Promise<T>): Promise<T> => {
    const ended = new AbortController();
    const done = result.finally(() => ended.abort());
    while (!ended.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      // Only when all other answers have arrived.
      const { requests = 0, answers = 0, timeouts = 0 } = driver.counters();
      if (requests - answers === unanswered && timeouts < unanswered) clock.advance(RESPONSE_TIMEOUT_MS);
    }
    return done;
  };
  return {
    clock,
    server,
    underTest,
    ignored,
    ignoredWrites,
    deadUnits,
    unansweredCount: () => unanswered,
    settle,
    read(offsets, unitId = 1) {
      const channels = offsets.map((offset) => createChannel({ unitId, offset }));
      return settle(driver.prepareRead(channels).read(noDeadline()));
    },
    async write(offset) {
      const requests = [{ channel: createChannel({ offset }), value: 5 }];
      return (await settle(writeValues(driver, requests, noDeadline())))[0];
    },
    stateOf: (unitId) => driver.unitStatus().find(({ name }) => name === `unit ${unitId}`)?.state,
    async [Symbol.asyncDispose]() {
      await driver.disconnect();
      await server.close();
    },
  };
}

function valuesOf(readings: readonly Reading[]): readonly unknown[] {
  return readings.map(({ value, failure }) => value ?? failure?.code);
}

function offsetsOf(server: FaultServer, from = 0): readonly number[] {
  return server.requests.slice(from).map(({ pdu }) => pdu.readUInt16BE(1));
}

test('a register that is ignored is suspended alone and the rest of its unit goes on', async () => {
  await using device = await startDevice();
  device.ignored.add(20);
  for (let turn = 0; turn < 4; turn += 1) {
    assert.deepEqual(
      valuesOf(await device.read([10, 20, 30])).filter((_, index) => index !== 1),
      [10, 30],
    );
  }
  const before = device.unansweredCount();
  assert.deepEqual(valuesOf(await device.read([10, 20, 30])), [10, 'MODBUS_ADDRESS_SUSPENDED', 30]);
  assert.equal(device.unansweredCount(), before);
  assert.equal(device.stateOf(1), 'ANSWERING');
});

test('requests behind a silent one in the plan are sent all the same', async () => {
  await using device = await startDevice();
  device.ignored.add(10);
  assert.deepEqual(valuesOf(await device.read([10, 20, 30])), ['MODBUS_NO_RESPONSE', 20, 30]);
});

test('a request that was silent last time goes last', async () => {
  await using device = await startDevice();
  device.ignored.add(10);
  await device.read([10, 20, 30]);
  const sent = device.server.requests.length;
  await device.read([10, 20, 30]);
  assert.deepEqual(offsetsOf(device.server, sent).slice(0, 2), [20, 30]);
});

test('a deadline that passes under a silent request keeps the values of the others', async () => {
  await using device = await startDevice();
  device.ignored.add(10);
  await device.read([10, 20, 30]);
  const deadline = new AbortController();
  const channels = [10, 20, 30].map((offset) => createChannel({ offset }));
  const reading = device.underTest.driver.prepareRead(channels).read(deadline.signal);
  const unanswered = device.unansweredCount();
  while (device.unansweredCount() === unanswered) await new Promise((resolve) => setImmediate(resolve));
  deadline.abort(new Error('too late'));
  assert.deepEqual(valuesOf(await reading), ['DEADLINE_EXCEEDED', 20, 30]);
});

test('the error of an address that is suspended names it, since when, and when it is asked again', async () => {
  await using device = await startDevice();
  device.ignored.add(20);
  let failure;
  for (let turn = 0; turn < 4; turn += 1) failure = (await device.read([10, 20]))[1]?.failure;
  assert.match(
    failure?.message ?? '',
    /^unit 1 HOLDING_REGISTERS 20 is suspended, no response since 2023-11-14T22:13:21\.000Z: .*; next attempt at 2023/,
  );
  assert.equal(failure?.stableMessage, 'unit 1 HOLDING_REGISTERS 20: unit 1 did not respond within 1000 ms');
});

test('a joined request in which one register is silent is narrowed until its neighbours are served', async () => {
  await using device = await startDevice();
  const offsets = Array.from({ length: 100 }, (_, index) => index);
  device.ignored.add(37);
  await device.read([200]);
  for (let turn = 0; turn < 12; turn += 1) await device.read(offsets);
  const expected = offsets.map((offset) => (offset === 37 ? 'MODBUS_ADDRESS_SUSPENDED' : offset));
  assert.deepEqual(valuesOf(await device.read(offsets)), expected);
  assert.deepEqual(
    device.underTest.driver.unitStatus()[0]?.silentAddresses?.map(({ address }) => address),
    ['HOLDING_REGISTERS 37'],
  );
});

test('narrowing costs one time-out in each round', async () => {
  await using device = await startDevice();
  const offsets = Array.from({ length: 100 }, (_, index) => index);
  device.ignored.add(37);
  await device.read([200]);
  for (let turn = 0; turn < 12; turn += 1) {
    const before = device.unansweredCount();
    await device.read(offsets);
    assert.ok(device.unansweredCount() - before <= 1, `round ${turn}`);
  }
});

test('an address that is suspended is known to every read of the unit, and to no other unit', async () => {
  await using device = await startDevice();
  device.ignored.add(20);
  for (let turn = 0; turn < 4; turn += 1) await device.read([10, 20]);
  const before = device.unansweredCount();
  assert.deepEqual(valuesOf(await device.read([19, 20, 21])), [19, 'MODBUS_ADDRESS_SUSPENDED', 21]);
  assert.equal(device.unansweredCount(), before);
  await device.read([20], 2);
  assert.equal(device.unansweredCount(), before + 1);
});

test('an address that is suspended is asked again after growing pauses, and serves when it answers', async () => {
  await using device = await startDevice();
  device.ignored.add(20);
  for (let turn = 0; turn < 4; turn += 1) await device.read([10, 20]);
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const before = device.unansweredCount();
    let pauseMs = 0;
    while (device.unansweredCount() === before) {
      device.clock.advance(500);
      pauseMs += 500;
      await device.read([10, 20]);
    }
    pauses.push(pauseMs);
  }
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  );
  assert.ok((pauses[3] ?? 0) > 2 * (pauses[1] ?? 0), pauses.join());
  device.ignored.clear();
  device.clock.advance(MAXIMUM_PAUSE_MS);
  assert.deepEqual(valuesOf(await device.read([10, 20])), [10, 20]);
  assert.equal(device.underTest.driver.unitStatus()[0]?.silentAddresses, undefined);
});

test('the plan of a read shows which of its requests are not sent, and why', async () => {
  await using device = await startDevice();
  const channels = [7, 40].map((offset) => createChannel({ offset }));
  const read = device.underTest.driver.prepareRead(channels);
  const listHeldBack = () =>
    read.describe?.().map(({ name, notSent, notSentCode }) => [name, notSent?.slice(0, 39), notSentCode]);
  assert.deepEqual(listHeldBack(), [
    ['unit 1 HOLDING_REGISTERS 7', undefined, undefined],
    ['unit 1 HOLDING_REGISTERS 40', undefined, undefined],
  ]);
  device.ignored.add(7);
  for (let round = 0; round < 3; round += 1) await device.settle(read.read(noDeadline()));
  assert.deepEqual(listHeldBack(), [
    ['unit 1 HOLDING_REGISTERS 7', 'unit 1 HOLDING_REGISTERS 7 is suspended', 'MODBUS_ADDRESS_SUSPENDED'],
    ['unit 1 HOLDING_REGISTERS 40', undefined, undefined],
  ]);
  device.clock.advance(MAXIMUM_PAUSE_MS);
  assert.ok(listHeldBack()?.every(([, notSent]) => notSent === undefined));
  device.deadUnits.add(1);
  for (let round = 0; round < 2; round += 1) await device.settle(read.read(noDeadline()));
  assert.ok(listHeldBack()?.every(([, notSent]) => notSent?.startsWith('unit 1 is suspended, ')));
});

test('a unit that dies is suspended after two time-outs, also when it used to answer', async () => {
  await using device = await startDevice();
  const offsets = [10, 20, 30, 40];
  await device.read(offsets);
  await device.read([50], 2);
  device.deadUnits.add(1);
  await device.read(offsets);
  assert.equal(device.unansweredCount(), 2);
  assert.equal(device.stateOf(1), 'SUSPENDED');
  assert.deepEqual(new Set(valuesOf(await device.read(offsets))), new Set(['MODBUS_UNIT_SUSPENDED']));
  assert.equal(device.unansweredCount(), 2);
  assert.equal(device.underTest.driver.unitStatus()[0]?.silentAddresses, undefined);
});

test('a unit that never answered is suspended after its first two requests', async () => {
  await using device = await startDevice();
  device.deadUnits.add(1);
  await device.read([10, 20, 30, 40]);
  assert.equal(device.unansweredCount(), 2);
  assert.equal(device.stateOf(1), 'SUSPENDED');
});

test('the probe of a unit that is suspended is the last request that was answered', async () => {
  await using device = await startDevice();
  await device.read([10, 11, 12]);
  device.deadUnits.add(1);
  await device.read([70, 80]);
  assert.equal(device.stateOf(1), 'SUSPENDED');
  const sent = device.server.requests.length;
  device.deadUnits.clear();
  device.clock.advance(4000);
  await device.server.received(sent + 1);
  const probe = device.server.requests[sent]?.pdu;
  assert.deepEqual([probe?.[0], probe?.readUInt16BE(1), probe?.readUInt16BE(3)], [3, 10, 3]);
  while (device.stateOf(1) !== 'ANSWERING') await new Promise((resolve) => setImmediate(resolve));
});

test('a unit whose first requests went to ignored registers is found by other requests to it', async () => {
  await using device = await startDevice();
  device.ignored.add(10).add(20);
  await device.read([10, 20, 30]);
  assert.equal(device.stateOf(1), 'SUSPENDED');
  for (let probes = 1; device.stateOf(1) !== 'ANSWERING'; probes += 1) {
    assert.ok(probes <= 6);
    const sent = device.server.requests.length;
    device.clock.advance(4000);
    await device.server.received(sent + 1);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    device.clock.advance(10);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(valuesOf(await device.read([30])), [30]);
});

test('a register that ignores writes is suspended for writes alone, and nothing is sent to it', async () => {
  await using device = await startDevice();
  await device.read([10, 20]);
  device.ignoredWrites.add(20);
  for (let turn = 0; turn < 2; turn += 1) {
    assert.equal((await device.write(20))?.failure?.code, 'MODBUS_WRITE_OUTCOME_UNKNOWN');
    assert.equal((await device.write(10))?.failure, undefined);
  }
  const sent = device.server.requests.length;
  assert.equal((await device.write(20))?.failure?.code, 'MODBUS_ADDRESS_SUSPENDED');
  assert.equal(device.server.requests.length, sent);
  assert.deepEqual(valuesOf(await device.read([20])), [20]);
  assert.equal(device.stateOf(1), 'ANSWERING');
});

test('a joined write that is suspended is sent in its parts, each once', async () => {
  await using device = await startDevice();
  await device.read([10]);
  device.ignoredWrites.add(21);
  const requests = [20, 21, 22].map((offset) => ({ channel: createChannel({ offset }), value: 5 }));
  const write = (): Promise<readonly WriteOutcome[]> =>
    device.settle(writeValues(device.underTest.driver, requests, noDeadline()));
  for (let turn = 0; turn < 2; turn += 1) {
    await write();
    await device.read([10]);
  }
  const outcomes = await write();
  assert.deepEqual(
    outcomes.map(({ failure }) => failure?.code),
    [undefined, 'MODBUS_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK'],
  );
});

test('the bytes of a channel are shown although a register behind it is suspended', async () => {
  await using device = await startDevice();
  device.ignored.add(21);
  for (let turn = 0; turn < 4; turn += 1) await device.read([10, 21]);
  const { driver } = device.underTest;
  assert.ok(isInspecting(driver));
  const inspection = await device.settle(driver.inspect(createChannel({ offset: 20 }), noDeadline()));
  assert.ok('bytes' in inspection);
  assert.deepEqual([...inspection.bytes], [0, 20]);
});

test('an address that is suspended is told of once, and so is its return', async () => {
  await using device = await startDevice();
  device.ignored.add(20);
  for (let turn = 0; turn < 6; turn += 1) await device.read([10, 20]);
  device.ignored.clear();
  device.clock.advance(MAXIMUM_PAUSE_MS);
  await device.read([10, 20]);
  const lines = device.underTest.lines.filter(({ level }) => level !== 'debug');
  assert.deepEqual(
    lines.map(({ level, event, fields }) => [level, event, fields['address']]),
    [
      ['warn', 'modbus.addressSuspended', 'HOLDING_REGISTERS 20'],
      ['info', 'modbus.addressResumed', 'HOLDING_REGISTERS 20'],
    ],
  );
});

test('an ignored register is suspended where several requests are under way as well', async () => {
  await using device = await startDevice({ pipelineDepth: 4 });
  device.ignored.add(20);
  for (let turn = 0; turn < 6; turn += 1) await device.read([10, 20, 30, 40]);
  assert.deepEqual(valuesOf(await device.read([10, 20, 30, 40])), [10, 'MODBUS_ADDRESS_SUSPENDED', 30, 40]);
  assert.equal(device.stateOf(1), 'ANSWERING');
});

test('contiguous registers are one request again when the silent one answers', async () => {
  await using device = await startDevice();
  device.ignored.add(3);
  await device.read([50]);
  const read = device.underTest.driver.prepareRead(createRegisterChannels(0, 10));
  for (let turn = 0; turn < 10; turn += 1) await device.settle(read.read(noDeadline()));
  device.ignored.clear();
  device.clock.advance(MAXIMUM_PAUSE_MS);
  await device.settle(read.read(noDeadline()));
  const sent = device.server.requests.length;
  await device.settle(read.read(noDeadline()));
  assert.equal(device.server.requests.length, sent + 1);
});
