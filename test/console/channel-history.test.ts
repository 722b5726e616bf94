import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ChannelHistory, COURSE_MS } from '../../daemon/console/live/history.ts';
import { hasSteps, toPath } from '../../daemon/console/views/assets/sparkline-path.ts';

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

test('the sparkline of a setpoint has steps only, that of a measured value slopes', () => {
  const history = new ChannelHistory();
  for (const [index, value] of [60, 62.5, 61].entries()) history.add(BEGIN_MS + index * 60_000, value);
  const nowMs = BEGIN_MS + COURSE_MS;
  const slopes = (channel: Parameters<typeof hasSteps>[0]): readonly string[] => {
    const path = toPath(history, { nowMs, isStepped: hasSteps(channel) });
    const commands = [...path.matchAll(/([MLHV])([\d.]+)(?:,([\d.]+))?/g)];
    const [, ...points] = commands.map(toPoint());
    return points.filter(({ isSlope }) => isSlope).map(({ command }) => command);
  };
  assert.deepEqual(slopes({ type: 'READ_WRITE', valueType: 'FLOAT' }), []);
  assert.deepEqual(slopes({ type: 'READ', valueType: 'BOOLEAN' }), []);
  assert.equal(slopes({ type: 'READ', valueType: 'DOUBLE' }).length, 2);
});

/** Follows the commands of a path, and marks those that draw a slope. */
function toPoint(): (match: RegExpExecArray) => { readonly command: string; readonly isSlope: boolean } {
  let [x, y] = [Number.NaN, Number.NaN];
  return ([command, kind, first = '', second = '']) => {
    const [nextX, nextY] =
      kind === 'H' ? [Number(first), y] : kind === 'V' ? [x, Number(first)] : [Number(first), Number(second)];
    const isSlope = kind === 'L' && nextX !== x && nextY !== y;
    [x, y] = [nextX, nextY];
    return { command, isSlope };
  };
}
