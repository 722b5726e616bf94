import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { DriverConnection } from '../../../../../daemon/plant/asset/connection/driver-connection.ts';
import { ReadSelection } from '../../../../../daemon/plant/asset/read/read-selection.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { ScriptedDriver } from '../../../../support/scripted-driver.ts';
import { createChannel } from '../channel-fixture.ts';

interface Bench {
  readonly driver: ScriptedDriver;
  readonly selection: ReadSelection;
  readonly clock: ManualClock;
}

async function createBench(): Promise<Bench> {
  const driver = new ScriptedDriver();
  driver.values.set('level', 1);
  const clock = new ManualClock();
  const connection = new DriverConnection({
    driver,
    endpoint: 'line 1',
    callDeadlineMs: 1000,
    onStateChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    random: () => 0.5,
  });
  const selection = new ReadSelection([createChannel()], { connection, clock });
  await selection.read();
  driver.rounds.splice(0);
  return { driver, selection, clock };
}

test('a read between two rounds joins the one that is about to begin', async () => {
  const { driver, selection } = await createBench();
  driver.hold();
  const first = selection.read();
  const between = first.then(() => selection.read());
  const next = selection.read();
  driver.release();
  await Promise.all([first, between, next]);
  assert.equal(driver.busiest, 1);
  assert.equal(driver.rounds.length, 2);
});

test('reads of one turn of the event loop share one round', async () => {
  const { driver, selection } = await createBench();
  await Promise.all([selection.read(), selection.read(), selection.read()]);
  assert.equal(driver.rounds.length, 1);
});

test('clients that ask again and again share each round, also those a turn later than the others', async () => {
  const { driver, selection } = await createBench();
  const cycles = 10;
  async function ask(turns: number): Promise<void> {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      await selection.read();
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    }
  }
  await Promise.all([ask(1), ask(1), ask(2), ask(2)]);
  assert.equal(driver.rounds.length, cycles);
});

test('a client alone does not wait for others', async () => {
  const { driver, selection } = await createBench();
  for (const turns of [1, 1, 1]) {
    driver.rounds.splice(0);
    const answer = selection.read();
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    assert.equal(driver.rounds.length, 1);
    await answer;
  }
});

test('wouldStartRound tells whether a read would start another round on the device', async () => {
  const { driver, selection } = await createBench();
  const answers = [selection.wouldStartRound];
  driver.hold();
  const first = selection.read();
  answers.push(selection.wouldStartRound);
  await driver.arrived();
  answers.push(selection.wouldStartRound);
  const second = selection.read();
  answers.push(selection.wouldStartRound);
  driver.release();
  await Promise.all([first, second]);
  answers.push(selection.wouldStartRound);
  assert.deepEqual(answers, [true, false, true, false, true]);
});

test('findLatest returns values up to the maximum age, and none after forgetLatest', async () => {
  const { selection, clock } = await createBench();
  clock.advance(500);
  assert.equal(selection.findLatest(499), undefined);
  assert.equal(selection.findLatest(500)?.records[0]?.value, 1);
  selection.forgetLatest();
  assert.equal(selection.findLatest(60_000), undefined);
});

test('a round that fails does not keep the next one from running', async () => {
  const { driver, selection } = await createBench();
  driver.hold();
  driver.callFault = new TypeError('defect');
  const first = selection.read();
  await driver.arrived();
  const second = selection.read();
  driver.release();
  assert.equal((await first).records[0]?.failure?.code, 'DRIVER_FAULT');
  assert.equal((await second).records[0]?.failure?.code, 'NOT_CONNECTED');
});

test('a round without any value is not kept, so that a device that is back is read at once', async () => {
  const { driver, selection } = await createBench();
  driver.values.clear();
  await selection.read();
  assert.equal(selection.findLatest(60_000), undefined);
});
