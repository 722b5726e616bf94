import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planReads, rejoinReads, splitRead } from '../../../../drivers/modbus/read/read-plan.ts';
import type { PlannedRead, Span } from '../../../../drivers/modbus/read/read-plan.ts';

const LIMITS = { maximumGap: 0, maximumRegistersPerRequest: 125, maximumBitsPerRequest: 2000 };

function register(offset: number, quantity = 1, unitId = 1): Span {
  return { unitId, table: 'HOLDING_REGISTERS', offset, quantity };
}

function rangesOf(reads: readonly PlannedRead[]): readonly (readonly [number, number])[] {
  return reads.map(({ offset, quantity }) => [offset, quantity]);
}

for (const [count, expected] of [
  [1, 1],
  [125, 1],
  [126, 2],
  [250, 2],
  [1000, 8],
] as const) {
  test(`${count} contiguous registers are read by ${expected} requests`, () => {
    const spans = Array.from({ length: count }, (_, offset) => register(offset));
    assert.equal(planReads(spans, () => LIMITS).length, expected);
  });
}

test('4001 contiguous coils are read by 3 requests', () => {
  const spans = Array.from({ length: 4001 }, (_, offset): Span => {
    return { unitId: 1, table: 'COILS', offset, quantity: 1 };
  });
  assert.deepEqual(rangesOf(planReads(spans, () => LIMITS)), [
    [0, 2000],
    [2000, 2000],
    [4000, 1],
  ]);
});

test('a value of several registers is never split between two requests', () => {
  const spans = Array.from({ length: 32 }, (_, index) => register(1 + index * 4, 4));
  assert.deepEqual(rangesOf(planReads(spans, () => LIMITS)), [
    [1, 124],
    [125, 4],
  ]);
});

test('requests never cross units or tables', () => {
  const spans: readonly Span[] = [
    register(0),
    register(1, 1, 2),
    { ...register(1), table: 'INPUT_REGISTERS' },
    register(1),
  ];
  assert.deepEqual(
    planReads(spans, () => LIMITS).map(({ unitId, table, quantity }) => [unitId, table, quantity]),
    [
      [1, 'HOLDING_REGISTERS', 2],
      [2, 'HOLDING_REGISTERS', 1],
      [1, 'INPUT_REGISTERS', 1],
    ],
  );
});

test('a gap is bridged up to maximumGap and not beyond', () => {
  const spans = [register(0), register(4), register(9)];
  assert.deepEqual(rangesOf(planReads(spans, () => ({ ...LIMITS, maximumGap: 3 }))), [
    [0, 5],
    [9, 1],
  ]);
});

test('without maximumGap nothing is read that was not asked for', () => {
  assert.equal(planReads([register(0), register(2)], () => LIMITS).length, 2);
});

test('the order of the channels does not matter, and channels that overlap share a request', () => {
  const spans = [register(5), register(2, 4), register(2), register(3, 2)];
  assert.deepEqual(rangesOf(planReads(spans, () => LIMITS)), [[2, 4]]);
});

test('a span larger than the limit has its own request', () => {
  const spans = [register(0), register(1, 8), register(9)];
  assert.deepEqual(rangesOf(planReads(spans, () => ({ ...LIMITS, maximumRegistersPerRequest: 4 }))), [
    [0, 1],
    [1, 8],
    [9, 1],
  ]);
});

test('the last register of the address space is reached', () => {
  assert.deepEqual(rangesOf(planReads([register(65_534), register(65_535)], () => LIMITS)), [[65_534, 2]]);
});

test('splitRead cuts between spans until each is alone', () => {
  const [whole] = planReads([register(0, 2), register(2), register(3, 4)], () => LIMITS);
  assert.ok(whole);
  const halves = splitRead(whole);
  assert.deepEqual(rangesOf(halves ?? []), [
    [0, 3],
    [3, 4],
  ]);
  assert.equal(splitRead({ ...whole, spans: [register(0, 2)] }), undefined);
});

test('splitRead keeps channels of the same address together', () => {
  const [whole] = planReads([register(7), register(7)], () => LIMITS);
  assert.ok(whole);
  assert.equal(splitRead(whole), undefined);
});

test('rejoinReads joins adjacent reads, and bridges no gap', () => {
  const parts = planReads([register(0), register(1), register(3)], () => ({
    ...LIMITS,
    maximumRegistersPerRequest: 1,
  }));
  assert.deepEqual(rangesOf(rejoinReads(parts, () => ({ ...LIMITS, maximumGap: 9 }))), [
    [0, 2],
    [3, 1],
  ]);
});
