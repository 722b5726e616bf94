import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Line } from './scenario.ts';
import { isDecided, judge } from './verdict.ts';

/** CPU per request ÷ that of the bare server in 20 rounds, on a machine without other load. */
const CALM = [
  2.61, 2.58, 2.64, 2.6, 2.57, 2.63, 2.62, 2.59, 2.66, 2.6, 2.61, 2.58, 2.6, 2.65, 2.59, 2.62, 2.6, 2.57,
  2.63, 2.61,
];
/** The same, with tests running beside. */
const BUSY = [
  2.9, 3.6, 2.2, 4.1, 3.3, 2.7, 3.9, 2.4, 3.1, 2.8, 3.5, 2.6, 3.7, 2.3, 3.2, 2.5, 3.4, 4.4, 2.1, 3.0,
];

function createLine(more: Partial<Line> & Pick<Line, 'rounds'>): Line {
  return { row: 2, name: 'CPU', value: '', unit: '×', gate: { atMost: 3 }, goal: { atMost: 1.8 }, ...more };
}

const NONE = { all: 0, stolen: 0 };
const verdictOf = (line: Line, all = 0): string => judge(line, { all, stolen: 0 }).verdict;

test('a figure is the median of its rounds, with the interval that holds it', () => {
  const { figure, interval } = judge(createLine({ rounds: CALM }), NONE);
  assert.equal(figure, 2.605);
  assert.deepEqual(interval, { low: 2.59, high: 2.62 });
});

test('the verdict counts when all values that the rounds allow lie on one side', () => {
  assert.equal(verdictOf(createLine({ rounds: CALM })), 'gate');
  assert.equal(verdictOf(createLine({ rounds: CALM.map((ratio) => ratio - 1) })), 'goal');
  assert.equal(verdictOf(createLine({ rounds: CALM.map((ratio) => ratio + 1) })), 'DEFECT');
});

test('rounds that allow values on both sides of the gate are too noisy', () => {
  assert.equal(verdictOf(createLine({ rounds: BUSY })), 'too noisy');
  // As scattered, but far from the gate.
  assert.equal(verdictOf(createLine({ rounds: BUSY.map((ratio) => ratio + 3) })), 'DEFECT');
});

test('a goal that may be missed is not given, the gate is', () => {
  const goal = { atMost: 2.6 };
  assert.equal(verdictOf(createLine({ rounds: CALM, goal })), 'gate');
});

test('a share of the processor that others had is too noisy where it reaches from the figure to the gate', () => {
  // 2.62 ÷ 0.9 = 2.91; 2.62 ÷ 0.86 = 3.05
  assert.equal(verdictOf(createLine({ rounds: CALM }), 0.1), 'gate');
  assert.equal(verdictOf(createLine({ rounds: CALM }), 0.14), 'too noisy');
  const beyond = createLine({ rounds: CALM.map((ratio) => ratio + 1) });
  // 3.59 · 0.9 = 3.23; 3.59 · 0.8 = 2.87
  assert.equal(verdictOf(beyond, 0.1), 'DEFECT');
  assert.equal(verdictOf(beyond, 0.2), 'too noisy');
});

test('a lower bound is judged likewise', () => {
  const bounds = { gate: { atLeast: 0.95 }, goal: { atLeast: 0.98 } };
  const rounds = [0.99, 1, 1.01, 0.99, 1, 1.02, 0.99, 1];
  assert.equal(verdictOf(createLine({ rounds, ...bounds })), 'goal');
  // 0.99 · 0.97 = 0.96; 0.99 · 0.95 = 0.94
  assert.equal(verdictOf(createLine({ rounds, ...bounds }), 0.03), 'gate');
  assert.equal(verdictOf(createLine({ rounds, ...bounds }), 0.05), 'too noisy');
});

test('other programs do not change counts and sizes; a single count is what it is', () => {
  assert.equal(verdictOf(createLine({ rounds: [3], isUntimed: true }), 0.9), 'gate');
  assert.equal(verdictOf(createLine({ rounds: [4], isUntimed: true }), 0.9), 'DEFECT');
  assert.equal(verdictOf(createLine({ rounds: CALM, isUntimed: true }), 0.9), 'gate');
  assert.equal(judge(createLine({ rounds: [3], isUntimed: true }), NONE).interval, undefined);
});

test('one round of a time tells nothing', () => {
  assert.equal(verdictOf(createLine({ rounds: [2] })), 'too noisy');
});

test('a round without a figure is an error, and not noise', () => {
  for (const rounds of [[], [2, Number.NaN, 2.1]])
    assert.throws(() => verdictOf(createLine({ rounds })), /CPU: a round without a figure/);
});

test('a line without gate has no verdict', () => {
  const { gate: _gate, ...line } = createLine({ rounds: CALM });
  assert.equal(verdictOf(line), '');
});

test('a difference below zero is shifted downwards by the others as well', () => {
  const rounds = [-5, -4, -6, -5, -4, -6];
  const line = createLine({ rounds, gate: { atLeast: -7 }, goal: { atLeast: 0 } });
  // −6 ÷ 0.8 = −7.5
  assert.equal(verdictOf(line, 0.2), 'too noisy');
});

test('of what others took, only the time of the hypervisor counts for processor time', () => {
  const line = createLine({ rounds: CALM, isProcessorTime: true });
  assert.equal(judge(line, { all: 0.9, stolen: 0 }).verdict, 'gate');
  assert.equal(judge(line, { all: 0.9, stolen: 0 }).foreignShare, 0);
  // 2.62 ÷ 0.86 = 3.05
  assert.equal(judge(line, { all: 0.9, stolen: 0.14 }).verdict, 'too noisy');
});

test('a figure is decided when an interval of 99 % and what an idle machine adds lie on one side of it', () => {
  assert.equal(isDecided(createLine({ rounds: CALM })), true);
  assert.equal(isDecided(createLine({ rounds: CALM.map((ratio) => ratio + 1) })), true);
  assert.equal(isDecided(createLine({ rounds: BUSY })), false);
  // 2.97 ÷ 0.99 = 3.0003; of processor time 2.97 ÷ 0.998 = 2.976
  const close = CALM.map((_, round) => 2.95 + (round % 3) / 100);
  assert.equal(isDecided(createLine({ rounds: close })), false);
  assert.equal(isDecided(createLine({ rounds: close, isProcessorTime: true })), true);
});

test('a single round of a time is not decided, a count and a figure without a gate are', () => {
  assert.equal(isDecided(createLine({ rounds: [1] })), false);
  assert.equal(isDecided(createLine({ rounds: [1], isUntimed: true })), true);
  const { gate: _gate, ...line } = createLine({ rounds: [1] });
  assert.equal(isDecided(line), true);
});
