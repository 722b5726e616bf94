import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ChannelHistory, COURSE_MS } from '../../daemon/console/live/history.ts';

const BEGIN_MS = 1_700_000_000_000;

function listValues(history: ChannelHistory): readonly (readonly number[])[] {
  return [...history.columns()].map(({ low, high, last }) => [low, high, last]);
}

test('the course of a channel keeps the peak of a column, and what came last in it', () => {
  const history = new ChannelHistory();
  for (const [index, value] of [3, 9, -1, 4].entries()) history.add(BEGIN_MS + index, value);
  history.add(BEGIN_MS + 10_000, 5);
  assert.deepEqual(listValues(history), [
    [-1, 9, 4],
    [5, 5, 5],
  ]);
});

test('a gap ends a column, and a value after it begins another', () => {
  const history = new ChannelHistory();
  history.add(BEGIN_MS, Number.NaN);
  history.add(BEGIN_MS, 3);
  history.add(BEGIN_MS + 1, Number.NaN);
  history.add(BEGIN_MS + 2, Number.NaN);
  history.add(BEGIN_MS + 3, 7);
  assert.deepEqual(listValues(history), [
    [3, 3, 3],
    [Number.NaN, Number.NaN, Number.NaN],
    [7, 7, 7],
  ]);
});

test('what a resumed stream gives again does not change the course', () => {
  const history = new ChannelHistory();
  history.add(BEGIN_MS, 1);
  history.add(BEGIN_MS + 20_000, 2);
  history.add(BEGIN_MS, 9);
  assert.deepEqual(listValues(history), [
    [1, 1, 1],
    [2, 2, 2],
  ]);
});

test('the course goes back as far as it promises, and has no more columns after an hour', () => {
  const history = new ChannelHistory();
  const counts: number[] = [];
  for (let ms = BEGIN_MS; ms < BEGIN_MS + 3_600_000; ms += 1000) {
    history.add(ms, ms);
    const columns = [...history.columns()];
    counts.push(columns.length);
    if (ms < BEGIN_MS + COURSE_MS) continue;
    assert.ok((columns[0]?.ms ?? Infinity) <= ms - COURSE_MS + 5000);
  }
  assert.ok(Math.max(...counts) <= 80);
});
