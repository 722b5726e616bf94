import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Random } from './world/random.ts';
import { drawCalmTempo, STEADY_TEMPO, Tempo } from './world/tempo.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
// Lively in the second of three hours.
const tempo = new Tempo([{ fromMs: HOUR_MS, toMs: 2 * HOUR_MS }]);

test('a usual world is lively at all times', () => {
  for (const atMs of [0, 0.1, 12_345.678, WEEK_MS]) {
    assert.equal(STEADY_TEMPO.isLively(atMs), true);
    assert.equal(STEADY_TEMPO.activityAt(atMs), atMs);
    assert.equal(STEADY_TEMPO.timeAt(atMs), atMs);
    assert.equal(STEADY_TEMPO.pause(atMs, 600_000), 600_000);
  }
});

test('in calm times there is a sixtieth of the activity', () => {
  assert.equal(tempo.activityAt(HOUR_MS / 2), 30_000);
  assert.equal(tempo.activityAt(HOUR_MS), 60_000);
  assert.equal(tempo.activityAt(2 * HOUR_MS), 60_000 + HOUR_MS);
  assert.equal(tempo.activityAt(3 * HOUR_MS), 120_000 + HOUR_MS);
});

test('timeAt is the inverse of activityAt', () => {
  for (let atMs = 0; atMs < 4 * HOUR_MS; atMs += 234_567) {
    assert.equal(Math.round(tempo.timeAt(tempo.activityAt(atMs))), atMs);
  }
});

test('a pause of a calm time does not outlast the beginning of a lively one', () => {
  assert.equal(tempo.pause(0, 60_000 + 5000), HOUR_MS + 5000);
});

test('a pause that begins in a lively time is as it was drawn', () => {
  assert.equal(tempo.pause(2 * HOUR_MS - 1, 600_000), 600_000);
});

test('a calm world is lively for three hours of each week, at times of its seed', () => {
  const calm = drawCalmTempo(new Random('calm'), 2 * WEEK_MS);
  const calmMs = 2 * (WEEK_MS - 3 * HOUR_MS);
  assert.equal(Math.round(calm.activityAt(2 * WEEK_MS)), calmMs / 60 + 6 * HOUR_MS);
  const other = drawCalmTempo(new Random('other'), 2 * WEEK_MS);
  assert.notEqual(calm.timeAt(3 * HOUR_MS), other.timeAt(3 * HOUR_MS));
});
