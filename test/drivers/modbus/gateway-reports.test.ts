import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import type { DriverUnderTest } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, exceptionFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import type { FaultRequest } from '../../support/modbus-fault-server.ts';

const STEP_MS = 10;
const ANSWER_MS = 30;
const DEAD_UNIT = 2;

/** A gateway that serves one request at a time and reports a unit that does not answer. */
interface Plant extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly underTest: DriverUnderTest;
  /** Milliseconds that the line behind the gateway was taken, by unit. */
  readonly usedMs: Map<number, number>;
  /** Readings of a unit since it is polled. */
  readonly readings: Map<number, (Reading | undefined)[]>;
  /** Reads a unit again and again, the next time this long after the end of the read before. */
  poll(unitId: number, pauseMs: number): void;
  pass(ms: number): Promise<void>;
}

/** How the gateway treats one request: how long it takes, and the exception that it reports. */
interface Treatment {
  readonly takesMs: number;
  readonly exceptionCode?: number | undefined;
  /** Nothing comes back, and the line is free for others. */
  readonly isSilent?: boolean;
}

async function startPlant(treat: (request: FaultRequest) => Treatment): Promise<Plant> {
  const clock = new ManualClock();
  const usedMs = new Map<number, number>();
  const readings = new Map<number, (Reading | undefined)[]>();
  let freeAtMs = 0;
  const server = await startFaultServer((request, connection) => {
    const { takesMs, exceptionCode, isSilent = false } = treat(request);
    if (isSilent) return;
    freeAtMs = Math.max(freeAtMs, clock.monotonicMs()) + takesMs;
    usedMs.set(request.unitId, (usedMs.get(request.unitId) ?? 0) + takesMs);
    clock.schedule(freeAtMs - clock.monotonicMs(), () =>
      connection.send(
        exceptionCode === undefined ? answerFrame(request) : exceptionFrame(request, exceptionCode),
      ),
    );
  });
  const underTest = await connectDriver(server.port, { clock });
  const read = async (unitId: number): Promise<void> => {
    const channels = [createChannel({ unitId, offset: unitId })];
    const [reading] = await underTest.driver.prepareRead(channels).read(noDeadline());
    readings.get(unitId)?.push(reading);
  };
  const poll = (unitId: number, pauseMs: number): void => {
    readings.set(unitId, readings.get(unitId) ?? []);
    // It fails when the driver is disconnected at the end.
    void read(unitId).then(
      () => clock.schedule(pauseMs, () => poll(unitId, pauseMs)),
      () => undefined,
    );
  };
  return {
    clock,
    underTest,
    usedMs,
    readings,
    poll,
    async pass(ms) {
      const endMs = clock.monotonicMs() + ms;
      while (clock.monotonicMs() < endMs) {
        for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        clock.advance(STEP_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
}

function stateOf({ underTest }: Plant, unitId: number): string | undefined {
  return underTest.driver.unitStatus().find(({ name }) => name === `unit ${unitId}`)?.state;
}

for (const [exceptionCode, takesMs] of [
  [0x0b, 300],
  [0x0b, 1000],
  [0x0a, 600],
] as const) {
  test(`a unit of which a gateway reports ${exceptionCode} after ${takesMs} ms costs its line 2 % in the long run`, async () => {
    await using plant = await startPlant(({ unitId }) =>
      unitId === DEAD_UNIT ? { takesMs, exceptionCode } : { takesMs: ANSWER_MS },
    );
    plant.poll(1, 100);
    plant.poll(DEAD_UNIT, 1000);
    await plant.pass(20_000);
    assert.equal(stateOf(plant, DEAD_UNIT), 'SUSPENDED');
    plant.usedMs.clear();
    const failuresBefore = plant.readings.get(1)?.filter((reading) => reading?.failure !== undefined).length;
    await plant.pass(200_000);
    assert.ok((plant.usedMs.get(DEAD_UNIT) ?? 0) / 200_000 <= 0.025);
    const failures = plant.readings.get(1)?.filter((reading) => reading?.failure !== undefined).length;
    assert.equal(failures, failuresBefore);
    assert.equal(stateOf(plant, 1), 'ANSWERING');
  });
}

test('a unit that a gateway reported is noticed when it is back', async () => {
  let isDead = true;
  await using plant = await startPlant(() =>
    isDead ? { takesMs: 400, exceptionCode: 0x0b } : { takesMs: ANSWER_MS },
  );
  plant.poll(DEAD_UNIT, 1000);
  await plant.pass(20_000);
  isDead = false;
  await plant.pass(21_000);
  assert.equal(stateOf(plant, DEAD_UNIT), 'ANSWERING');
  assert.equal(plant.readings.get(DEAD_UNIT)?.at(-1)?.value, DEAD_UNIT);
});

test('a report is late by the usual answers of the line, also where an answer is slow now and then', async () => {
  await using plant = await startPlant(({ unitId, index }) => {
    if (unitId === DEAD_UNIT) return { takesMs: 300, exceptionCode: 0x0b };
    return { takesMs: index % 8 === 0 ? 200 : ANSWER_MS };
  });
  plant.poll(1, 100);
  await plant.pass(5000);
  plant.poll(DEAD_UNIT, 1000);
  await plant.pass(5000);
  assert.equal(stateOf(plant, DEAD_UNIT), 'SUSPENDED');
});

test('a unit that was reported and answered since is probed as often as any when it is silent', async () => {
  let treatment: Treatment = { takesMs: 600, exceptionCode: 0x0b };
  await using plant = await startPlant(() => treatment);
  plant.poll(DEAD_UNIT, 1000);
  await plant.pass(20_000);
  treatment = { takesMs: ANSWER_MS };
  await plant.pass(31_000);
  assert.equal(stateOf(plant, DEAD_UNIT), 'ANSWERING');
  treatment = { takesMs: 0, isSilent: true };
  await plant.pass(15_000);
  assert.equal(stateOf(plant, DEAD_UNIT), 'SUSPENDED');
  treatment = { takesMs: ANSWER_MS };
  await plant.pass(5500);
  assert.equal(stateOf(plant, DEAD_UNIT), 'ANSWERING');
});

test('a report that comes at once neither suspends a unit nor shows that it is there', async () => {
  await using plant = await startPlant(() => ({ takesMs: 10, exceptionCode: 0x0b }));
  plant.poll(DEAD_UNIT, 1000);
  await plant.pass(10_000);
  assert.equal(stateOf(plant, DEAD_UNIT), 'UNKNOWN');
  assert.ok((plant.readings.get(DEAD_UNIT)?.length ?? 0) >= 9);
  assert.equal(
    plant.readings.get(DEAD_UNIT)?.at(-1)?.failure?.code,
    'MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND',
  );
});

for (const takesMs of [10, 500]) {
  test(`a report now and then, after ${takesMs} ms, costs a unit no other value`, async () => {
    await using plant = await startPlant(({ index }) =>
      index % 5 === 4 ? { takesMs, exceptionCode: 0x0b } : { takesMs: ANSWER_MS },
    );
    plant.poll(DEAD_UNIT, 200);
    await plant.pass(20_000);
    assert.equal(stateOf(plant, DEAD_UNIT), 'ANSWERING');
    const codes = new Set(plant.readings.get(DEAD_UNIT)?.map((reading) => reading?.failure?.code));
    assert.deepEqual(codes, new Set([undefined, 'MODBUS_GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND']));
  });
}
