import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  findLimitFailure,
  findRateFailure,
  findStepFailure,
  isWithin,
} from '../../../../../daemon/plant/asset/write/write-limits.ts';
import type { ChannelValue } from '../../../../../daemon/channel/value-type.ts';

const TERMS = { minimum: -10, maximum: 100 };

test('findLimitFailure takes the limits themselves and refuses what lies beyond', () => {
  const judge = (value: ChannelValue): string | undefined => findLimitFailure(TERMS, value)?.code;
  assert.deepEqual([-10, 0, 100, 5n].map(judge), [undefined, undefined, undefined, undefined]);
  assert.deepEqual(
    [-10.000001, 100.000001, -3000, 101n].map(judge),
    Array.from({ length: 4 }, () => 'WRITE_LIMIT_EXCEEDED'),
  );
});

test('findLimitFailure refuses what is no finite number with any limit, and takes it with none', () => {
  for (const value of [Number.NaN, Infinity, -Infinity, 'warm', '', true]) {
    for (const terms of [{ minimum: -10 }, { maximumStep: 1 }, { maximumChangePerSecond: 1 }]) {
      assert.equal(findLimitFailure(terms, value)?.code, 'WRITE_LIMIT_EXCEEDED', String(value));
    }
    assert.equal(findLimitFailure({}, value), undefined);
  }
});

test('findLimitFailure compares integers beyond 53 bits with every digit', () => {
  const maximum = 2 ** 53 - 1;
  assert.equal(findLimitFailure({ maximum }, 9_007_199_254_740_991n), undefined);
  assert.equal(findLimitFailure({ maximum }, 9_007_199_254_740_992n)?.code, 'WRITE_LIMIT_EXCEEDED');
});

test('findLimitFailure judges each element of an array and names the one that is refused', () => {
  assert.equal(findLimitFailure(TERMS, '[1,2.5,100]'), undefined);
  assert.match(findLimitFailure(TERMS, '[1,2,101]')?.message ?? '', /element \[2\]/);
  assert.equal(findLimitFailure(TERMS, '[1,"NaN"]')?.code, 'WRITE_LIMIT_EXCEEDED');
});

test('findStepFailure measures from the current value, element by element', () => {
  const terms = { maximumStep: 5 };
  assert.equal(findStepFailure(terms, 15, 10), undefined);
  assert.equal(findStepFailure(terms, 15.5, 10)?.code, 'WRITE_STEP_EXCEEDED');
  assert.equal(findStepFailure(terms, '[1,8]', '[1,2]')?.code, 'WRITE_STEP_EXCEEDED');
  assert.equal(findStepFailure(terms, '[1,7]', '[1,2]'), undefined);
  assert.equal(findStepFailure(terms, '[1,2,3]', '[1,2]')?.code, 'WRITE_STEP_EXCEEDED');
});

test('the numbers of a matrix are judged like those of an array, in the same rows', () => {
  assert.equal(findLimitFailure(TERMS, '[[1,2.5],[100,-10]]'), undefined);
  assert.match(findLimitFailure(TERMS, '[[1,2],[101,3]]')?.message ?? '', /element \[1\]\[0\]: 101 is above/);
  assert.match(
    findLimitFailure(TERMS, '[[[1,2],[3,4]],[[5,6],[7,101]]]')?.message ?? '',
    /element \[1\]\[1\]\[1\]:/,
  );
  assert.match(findLimitFailure(TERMS, '101')?.message ?? '', /^101 is above/);
  assert.equal(findLimitFailure(TERMS, '[[1,"NaN"]]')?.code, 'WRITE_LIMIT_EXCEEDED');
  assert.equal(findLimitFailure(TERMS, '[["1]"]]')?.code, 'WRITE_LIMIT_EXCEEDED');
  const terms = { maximumStep: 5 };
  assert.equal(findStepFailure(terms, '[[1,7],[0,0]]', '[[1,2],[0,0]]'), undefined);
  assert.equal(findStepFailure(terms, '[[1,8],[0,0]]', '[[1,2],[0,0]]')?.code, 'WRITE_STEP_EXCEEDED');
  assert.equal(findStepFailure(terms, '[[1,2,0,0]]', '[[1,2],[0,0]]')?.code, 'WRITE_STEP_EXCEEDED');
  assert.equal(isWithin(0.5, '[[1.25,2],[3,"NaN"]]', '[[1,2],[3.5,"NaN"]]'), true);
  assert.equal(isWithin(0.5, '[[1.25,2],[3,4]]', '[[1,2],[3.75,4]]'), false);
});

test('findStepFailure refuses a step from a value that is no number', () => {
  assert.equal(findStepFailure({ maximumStep: 5 }, 1, Number.NaN)?.code, 'WRITE_STEP_EXCEEDED');
});

test('findRateFailure measures from the value in the device and from the last one written, whichever is farther', () => {
  const terms = { maximumChangePerSecond: 2 };
  const judge = (value: number, current: number, written: number): string | undefined =>
    findRateFailure(terms, value, { current, earlier: { value: written, elapsedMs: 1000 } })?.code;
  assert.equal(judge(12, 10, 10), undefined);
  assert.equal(judge(12.5, 10, 11), 'WRITE_RATE_EXCEEDED');
  assert.equal(judge(12.5, 11, 10), 'WRITE_RATE_EXCEEDED');
});

test('findRateFailure leaves the first write free, and tells when the next one is possible', () => {
  const terms = { maximumChangePerSecond: 2 };
  assert.equal(findRateFailure(terms, 1000, { current: 0, earlier: undefined }), undefined);
  const failure = findRateFailure(terms, 10, { current: 0, earlier: { value: 0, elapsedMs: 1000 } });
  assert.match(failure?.message ?? '', /allowed in 4000 ms/);
});

test('isWithin takes what differs by the tolerance or by rounding alone', () => {
  const cases: readonly (readonly [number, ChannelValue, ChannelValue, boolean])[] = [
    [0, 0.3, 0.1 * 3, true],
    [0, 21.5, 21.6, false],
    [0.1, 21.5, 21.6, true],
    [0, Number.NaN, Number.NaN, true],
    [0, 1, Number.NaN, false],
    [1, 9_007_199_254_740_993n, 9_007_199_254_740_992n, true],
    [0, 9_007_199_254_740_993n, 9_007_199_254_740_992n, false],
    [0.5, '[1,2]', '[1.25,2]', true],
    [0, '[1,2]', '[1,2,3]', false],
    [0, 'open', 'open', true],
    [0, 'open', 'closed', false],
    [0, true, false, false],
    [0, new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    [0, new Uint8Array([1, 2]), new Uint8Array([1, 3]), false],
  ];
  for (const [tolerance, one, other, isSame] of cases) {
    assert.equal(isWithin(tolerance, one, other), isSame, `${String(one)} ${String(other)}`);
  }
});
