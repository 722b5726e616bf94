import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../../support/modbus-fault-server.ts';
import { writeValues } from '../../../support/write-values.ts';

const PAUSE_MS = 30;

/** A device that keeps the times of its requests and answers, and answers when the test lets it. */
async function startDevice(pipelineDepth: number, settings: object = { delayBetweenRequestsMs: PAUSE_MS }) {
  const clock = new ManualClock();
  const events: { readonly kind: 'REQUEST' | 'ANSWER'; readonly atMs: number }[] = [];
  const owed: (() => void)[] = [];
  const server = await startFaultServer((request, connection) => {
    events.push({ kind: 'REQUEST', atMs: clock.monotonicMs() });
    owed.push(() => {
      events.push({ kind: 'ANSWER', atMs: clock.monotonicMs() });
      connection.send(answerFrame(request));
    });
  });
  const underTest = await connectDriver(server.port, {
    clock,
    pipelineDepth,
    ...settings,
  });
  const turn = async (): Promise<void> => {
    for (let count = 0; count < 5; count += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    clock,
    events,
    owed,
    server,
    underTest,
    turn,
    /** Moves the clock on, with all that was sent received in each step. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 5) {
        clock.advance(5);
        await turn();
      }
    },
    async answerOldest() {
      const answers = underTest.driver.counters()['answers'] ?? 0;
      owed.shift()?.();
      while (underTest.driver.counters()['answers'] === answers) await turn();
    },
    async [Symbol.asyncDispose]() {
      await underTest.driver.disconnect();
      await server.close();
    },
  };
}

/** Returns the shortest time between a request and the request or answer before it. */
function shortestPause(events: readonly { readonly kind: string; readonly atMs: number }[]): number {
  const pauses = events.flatMap(({ kind, atMs }, index) => {
    const before = events[index - 1];
    return kind === 'REQUEST' && before !== undefined ? [atMs - before.atMs] : [];
  });
  return Math.min(...pauses);
}

test('with pipelineDepth above 1 requests overlap, and each keeps the pause after the request before', async () => {
  await using device = await startDevice(3);
  const reading = device.underTest.driver.prepareRead(createRegisterChannels(0, 500)).read(noDeadline());
  await device.server.received(1);
  await device.turn();
  assert.equal(device.server.requests.length, 1);
  await device.pass(PAUSE_MS);
  assert.equal(device.server.requests.length, 2);
  await device.pass(PAUSE_MS);
  assert.equal(device.server.requests.length, 3);
  await device.pass(10 * PAUSE_MS);
  assert.equal(device.server.requests.length, 3);
  while (device.server.requests.length < 4 || device.owed.length > 0) {
    await device.answerOldest();
    await device.pass(PAUSE_MS);
  }
  await reading;
  assert.ok(shortestPause(device.events) >= PAUSE_MS, JSON.stringify(device.events));
});

test('an answer that comes during the pause begins it again', async () => {
  await using device = await startDevice(2);
  const reading = device.underTest.driver.prepareRead(createRegisterChannels(0, 500)).read(noDeadline());
  await device.server.received(1);
  await device.pass(PAUSE_MS);
  await device.answerOldest();
  await device.pass(20);
  await device.answerOldest();
  await device.pass(25);
  assert.equal(device.server.requests.length, 2);
  await device.pass(5);
  assert.equal(device.server.requests.length, 3);
  while (device.server.requests.length < 4 || device.owed.length > 0) {
    await device.answerOldest();
    await device.pass(PAUSE_MS);
  }
  await reading;
  assert.ok(shortestPause(device.events) >= PAUSE_MS, JSON.stringify(device.events));
});

test('calls of many units at once keep the pause', async () => {
  await using device = await startDevice(8);
  const readings = Promise.all(
    [1, 2, 3, 4, 5].map((unitId) =>
      device.underTest.driver.prepareRead([createChannel({ unitId })]).read(noDeadline()),
    ),
  );
  // It was sent before any time passed, and is noted when it arrives.
  await device.server.received(1);
  while (device.server.requests.length < 5) await device.pass(5);
  while (device.owed.length > 0) await device.answerOldest();
  await readings;
  assert.ok(shortestPause(device.events) >= PAUSE_MS, JSON.stringify(device.events));
});

test('the request that shows whether a silent unit is there keeps the pause as well', async () => {
  await using device = await startDevice(1);
  const read = (offset: number): Promise<unknown> =>
    device.underTest.driver.prepareRead([createChannel({ offset })]).read(noDeadline());
  const first = read(1);
  await device.server.received(1);
  await device.answerOldest();
  await first;
  const silent = read(2);
  await device.pass(PAUSE_MS);
  assert.equal(device.server.requests.length, 2);
  device.owed.length = 0;
  device.clock.advance(1000);
  await silent;
  const second = read(2);
  await device.pass(PAUSE_MS);
  assert.equal(device.server.requests.length, 3);
  await device.answerOldest();
  await device.pass(PAUSE_MS - 5);
  assert.equal(device.server.requests.length, 3);
  await device.pass(5);
  assert.equal(device.server.requests.length, 4);
  await device.answerOldest();
  await second;
});

test('with pipelineDepth above 1 a unit with a pause of its own keeps it between its requests, and others go out in it', async () => {
  await using device = await startDevice(4, { units: [{ unitId: 7, delayBetweenRequestsMs: PAUSE_MS }] });
  const { driver } = device.underTest;
  const slow = [0, 200, 400].map((offset) =>
    driver.prepareRead([createChannel({ unitId: 7, offset })]).read(noDeadline()),
  );
  const others = [0, 200].map((offset) => driver.prepareRead([createChannel({ offset })]).read(noDeadline()));
  const unitsOf = (): readonly number[] => device.server.requests.map(({ unitId }) => unitId);
  await device.server.received(3);
  await device.turn();
  assert.deepEqual(
    unitsOf().toSorted((a, b) => a - b),
    [1, 1, 7],
  );
  await device.pass(PAUSE_MS);
  assert.deepEqual(unitsOf().slice(3), [7]);
  // The answer to the unit begins its pause again.
  await device.pass(PAUSE_MS - 5);
  while (device.owed.length > 0) await device.answerOldest();
  await device.pass(PAUSE_MS - 5);
  assert.equal(device.server.requests.length, 4);
  await device.pass(5);
  assert.deepEqual(unitsOf().slice(4), [7]);
  await device.answerOldest();
  await Promise.all([...slow, ...others]);
});

test('the pause is kept between the read of a register and the write of its bits', async () => {
  await using device = await startDevice(1, {
    bitWrite: 'READ_MODIFY_WRITE',
    delayBetweenRequestsMs: PAUSE_MS,
  });
  const channel = createChannel({ offset: 5, dataType: 'BOOLEAN', bit: 3 }, 'BOOLEAN');
  const writing = writeValues(device.underTest.driver, [{ channel, value: true }], noDeadline());
  await device.server.received(1);
  await device.answerOldest();
  await device.pass(PAUSE_MS - 5);
  assert.equal(device.server.requests.length, 1);
  await device.pass(5);
  await device.server.received(2);
  await device.answerOldest();
  assert.equal((await writing)[0]?.failure, undefined);
  assert.ok(shortestPause(device.events) >= PAUSE_MS, JSON.stringify(device.events));
});
