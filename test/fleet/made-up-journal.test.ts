import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Time } from '../../bundles/mqtt/time.ts';
import { MadeUpJournal } from './made-up-journal.ts';

/** Time that passes in waits only. */
function createTime() {
  const state = { nowMs: 1000 };
  const time: Time = {
    nowMs: () => state.nowMs,
    sleep: (ms) => {
      state.nowMs += ms;
      return Promise.resolve();
    },
    random: () => 0,
  };
  return { state, time };
}

function createJournal() {
  const { state, time } = createTime();
  return { state, journal: new MadeUpJournal({ channels: 3, intervalMs: 100, time }) };
}

test('each channel has a sample in each interval, and the numbers have no holes', async () => {
  const { state, journal } = createJournal();
  state.nowMs += 250;
  const { sequences, seriesIndexes, takenAt, next, tail } = await journal.read({ after: 0 });
  assert.deepEqual(sequences, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(seriesIndexes, [0, 1, 2, 0, 1, 2]);
  assert.deepEqual(takenAt, [1100, 1100, 1100, 1200, 1200, 1200]);
  assert.deepEqual([next, tail, await journal.tail()], [6, 6, 6]);
});

test('a read that is limited goes on within an interval', async () => {
  const { state, journal } = createJournal();
  state.nowMs += 250;
  const { sequences, seriesIndexes, next } = await journal.read({ after: 2, limit: 2 });
  assert.deepEqual([sequences, seriesIndexes, next], [[3, 4], [2, 0], 4]);
});

test('a read waits for the next samples, or returns none in time', async () => {
  const { state, journal } = createJournal();
  assert.deepEqual((await journal.read({ after: 0, waitMs: 60 })).sequences, []);
  assert.equal(state.nowMs, 1060);
  assert.deepEqual((await journal.read({ after: 0, waitMs: 10_000 })).sequences, [1, 2, 3]);
  assert.equal(state.nowMs, 1101);
});

test('what was not acknowledged is counted, and a cursor never goes back', async () => {
  const { state, journal } = createJournal();
  state.nowMs += 200;
  await journal.acknowledge(5);
  await journal.acknowledge(2);
  assert.deepEqual([await journal.acknowledged(), journal.unacknowledged], [5, 1]);
});

test('no sample follows the end', async () => {
  const { state, journal } = createJournal();
  state.nowMs += 100;
  journal.end();
  state.nowMs += 500;
  assert.equal(await journal.tail(), 3);
});
