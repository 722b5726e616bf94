import assert from 'node:assert/strict';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../../../drivers/modbus/failure-sentences.ts';
import { test } from 'node:test';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultRequest, FaultServer } from '../../support/modbus-fault-server.ts';
import { PROBE_PAUSE_MS } from '../../../drivers/modbus/health/unit-health.ts';

// Answers take no time on a clock that is moved by hand, so a probe waits for the least that it may.
const PROBE_TIMEOUT_MS = 10;

interface Plant extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly server: FaultServer;
  readonly underTest: DriverUnderTest;
  /** Units that do not answer. */
  readonly silent: Set<number>;
  /** Answers that were held back. */
  readonly heldBack: (() => void)[];
  read(unitId: number): Promise<Reading | undefined>;
  /** Waits until two reads of the unit have timed out. */
  suspended(unitId: number): Promise<void>;
  countRequests(unitId: number): number;
}

async function startPlant(
  answer: (request: FaultRequest) => Buffer = answerFrame,
  settings: { readonly responseTimeoutMs?: number } = {},
): Promise<Plant> {
  const clock = new ManualClock();
  const silent = new Set<number>();
  const heldBack: (() => void)[] = [];
  const server = await startFaultServer((request, connection) => {
    const send = (): void => connection.send(answer(request));
    if (silent.has(request.unitId)) heldBack.push(send);
    else send();
  });
  const underTest = await connectDriver(server.port, { clock, ...settings });
  const read = async (unitId: number): Promise<Reading | undefined> => {
    const readings = await underTest.driver
      .prepareRead([createChannel({ unitId, offset: unitId })])
      .read(noDeadline());
    return readings[0];
  };
  return {
    clock,
    server,
    underTest,
    silent,
    heldBack,
    read,
    async suspended(unitId) {
      silent.add(unitId);
      for (let turn = 0; turn < 2; turn += 1) {
        const reading = read(unitId);
        await server.received(server.requests.length + 1);
        clock.advance(settings.responseTimeoutMs ?? 1000);
        await reading;
      }
    },
    countRequests: (unitId) => server.requests.filter((request) => request.unitId === unitId).length,
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
}

/** Runs the driver and the server until a condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function stateOf({ underTest }: Plant, name: string): string | undefined {
  return underTest.driver.unitStatus().find((unit) => unit.name === name)?.state;
}

test('a unit that times out twice in a row is suspended and fails at once', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  const reading = await plant.read(4);
  assert.equal(reading?.failure?.code, 'MODBUS_UNIT_SUSPENDED');
  assert.equal(plant.countRequests(4), 2);
});

test('the failure of a unit that is suspended lasts, whenever it is probed next', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  const reading = await plant.read(4);
  assert.equal(reading?.failure?.stableMessage, 'unit 4 did not respond within 1000 ms');
});

test('the failure names the start, the reason and the time of the next probe', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  const reading = await plant.read(4);
  assert.equal(
    reading?.failure?.message,
    'unit 4 is suspended, no response since 2023-11-14T22:13:21.000Z: unit 4 did not respond within 1000 ms; ' +
      'next probe at 2023-11-14T22:13:26.000Z',
  );
});

test('one time-out between answers does not set a unit aside', async () => {
  await using plant = await startPlant();
  for (let turn = 0; turn < 2; turn += 1) {
    plant.silent.add(4);
    const reading = plant.read(4);
    await plant.server.received(plant.server.requests.length + 1);
    plant.clock.advance(1000);
    await reading;
    plant.silent.delete(4);
    await plant.read(4);
  }
  assert.equal(stateOf(plant, 'unit 4'), 'ANSWERING');
});

test('a unit that is suspended leaves the others alone', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  const connections = plant.server.connectionCount();
  assert.equal((await plant.read(5))?.value, 5);
  assert.ok(plant.server.connectionCount() <= connections + 1);
});

test('a unit that is back is noticed by the probe within 5 seconds', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  plant.silent.delete(4);
  plant.clock.advance(PROBE_PAUSE_MS);
  await until(() => stateOf(plant, 'unit 4') === 'ANSWERING');
  assert.equal((await plant.read(4))?.value, 4);
});

test('an exception is an answer to the probe', async () => {
  await using plant = await startPlant((request) => exceptionFrame(request, 2));
  await plant.suspended(4);
  plant.silent.delete(4);
  plant.clock.advance(PROBE_PAUSE_MS);
  await until(() => stateOf(plant, 'unit 4') === 'ANSWERING');
});

test('a probe gives up early, leaves the link of the other units as it is and is repeated', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  await plant.read(5);
  const connections = plant.server.connectionCount();
  for (let probes = 1; probes <= 3; probes += 1) {
    plant.clock.advance(PROBE_PAUSE_MS);
    await until(() => plant.underTest.driver.counters()['probes'] === probes);
    plant.clock.advance(PROBE_TIMEOUT_MS);
    await until(() => plant.underTest.driver.counters()['timeouts'] === 2 + probes);
    assert.equal((await plant.read(5))?.value, 5);
  }
  assert.equal(plant.server.connectionCount(), connections);
  assert.equal(stateOf(plant, 'unit 4'), 'SUSPENDED');
});

test('a link on which no unit answers is reopened by every second probe', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  for (let probes = 1; probes <= 3; probes += 1) {
    plant.clock.advance(PROBE_PAUSE_MS);
    await until(() => plant.underTest.driver.counters()['probes'] === probes);
    // A probe that ends the link gives its unit all of its time.
    plant.clock.advance(probes === 2 ? 1000 : PROBE_TIMEOUT_MS);
    await until(() => plant.underTest.driver.counters()['timeouts'] === 2 + probes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // One for the two time-outs and the first two probes, because its device may have to warm up; one for the third.
  assert.equal(plant.server.connectionCount(), 2);
});

test('a unit that answers later than the probe waits is noticed by its late answer', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  await plant.read(5);
  plant.heldBack.length = 0;
  plant.clock.advance(PROBE_PAUSE_MS);
  await until(() => plant.heldBack.length === 1);
  plant.clock.advance(PROBE_TIMEOUT_MS);
  await until(() => plant.underTest.driver.counters()['timeouts'] === 3);
  plant.heldBack[0]?.();
  await until(() => stateOf(plant, 'unit 4') === 'ANSWERING');
});

test('the failure of a unit that is suspended names its own time-out, not the shorter one of probes', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  plant.clock.advance(PROBE_PAUSE_MS);
  await until(() => plant.underTest.driver.counters()['probes'] === 1);
  plant.clock.advance(PROBE_TIMEOUT_MS);
  await until(() => plant.underTest.driver.counters()['timeouts'] === 3);
  const reading = await plant.read(4);
  assert.equal(reading?.failure?.stableMessage, 'unit 4 did not respond within 1000 ms');
});

test('one line is logged when a unit is suspended and one when it is back', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  await plant.read(4);
  await plant.read(4);
  plant.silent.delete(4);
  plant.clock.advance(PROBE_PAUSE_MS);
  await until(() => stateOf(plant, 'unit 4') === 'ANSWERING');
  await plant.read(4);
  const lines = plant.underTest.lines.filter(({ level }) => level !== 'debug');
  assert.deepEqual(
    lines.map(({ level, event, fields }) => [level, event, fields['unit']]),
    [
      ['warn', 'modbus.unitSuspended', 'unit 4'],
      ['info', 'modbus.unitResumed', 'unit 4'],
    ],
  );
});

test('a unit that is suspended is probed at once on a new connection', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  plant.silent.delete(4);
  await plant.underTest.driver.connect(noDeadline(), () => undefined);
  plant.clock.advance(0);
  await until(() => stateOf(plant, 'unit 4') === 'ANSWERING');
});

test('a unit that is suspended is probed no oftener on connections that are new again and again', async () => {
  await using plant = await startPlant();
  const nextProbeAtMs = (): number | undefined =>
    plant.underTest.driver.unitStatus().find(({ name }) => name === 'unit 4')?.nextProbeAtMs;
  await plant.suspended(4);
  await plant.underTest.driver.connect(noDeadline(), () => undefined);
  plant.clock.advance(0);
  await plant.server.received(3);
  const probedAtMs = plant.clock.epochMs();
  plant.clock.advance(PROBE_TIMEOUT_MS);
  await plant.underTest.driver.connect(noDeadline(), () => undefined);
  await until(() => nextProbeAtMs() !== undefined);
  assert.ok((nextProbeAtMs() ?? 0) >= probedAtMs + PROBE_PAUSE_MS);
});

test('a line that is down is a ConnectionError, for a unit that is suspended as well', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  await plant.underTest.driver.disconnect();
  await assert.rejects(plant.read(4), ConnectionError);
});

test('a probe that finds the device gone reports the loss once', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  await plant.server.close();
  await until(() => {
    plant.clock.advance(PROBE_PAUSE_MS);
    return plant.underTest.losses.length > 0;
  });
  plant.clock.advance(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(plant.underTest.losses.length, 1);
  await assert.rejects(plant.read(4), ConnectionError);
});

test('nothing is probed after a disconnect', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  await plant.underTest.driver.disconnect();
  plant.clock.advance(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(plant.countRequests(4), 2);
});

test('when a gateway is slow to report that a unit is silent, the unit is suspended', async () => {
  await using plant = await startPlant((request) => exceptionFrame(request, 11));
  plant.silent.add(4);
  for (let turn = 0; turn < 2; turn += 1) {
    const reading = plant.read(4);
    await until(() => plant.heldBack.length === turn + 1);
    plant.clock.advance(900);
    plant.heldBack[turn]?.();
    assert.equal((await reading)?.failure?.code, 'MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND');
  }
  assert.equal((await plant.read(4))?.failure?.code, 'MODBUS_UNIT_SUSPENDED');
});

test('the status of a unit shows its state, newest error, next probe and counters', async () => {
  await using plant = await startPlant();
  await plant.suspended(4);
  assert.deepEqual(plant.underTest.driver.unitStatus(), [
    {
      name: 'unit 4',
      state: 'SUSPENDED',
      lastError: 'unit 4 did not respond within 1000 ms',
      lastErrorCode: 'MODBUS_NO_RESPONSE',
      lastErrorReasons: [createReason(MODBUS_FAILURES, 'UNIT_SILENT', { unit: 4, timeoutMs: 1000 })],
      lastErrorAtMs: 1_700_000_002_000,
      silentSinceMs: 1_700_000_001_000,
      nextProbeAtMs: 1_700_000_006_000,
      counters: { requests: 2, answers: 0, exceptions: 0, timeouts: 2, invalidAnswers: 0 },
    },
  ]);
});
