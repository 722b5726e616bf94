import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../daemon/base/slices.ts';
import { findOversizedPart } from '../../../daemon/configuration/document-bounds.ts';
import { PLANT } from './plant-fixture.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const keys = (count: number) => Object.fromEntries(numbers(count).map((index) => [`k${index}`, 0]));

test('findOversizedPart finds nothing in a plant of usual size, nor in a value that is not a document', () => {
  for (const document of [
    PLANT,
    {},
    null,
    'text',
    { assets: 'none', drivers: null },
    { assets: [null, 7] },
  ]) {
    assert.equal(finish(findOversizedPart(document)), undefined);
  }
});

test('findOversizedPart names the part that is too large', () => {
  const channels = [{ name: 'a' }, keys(501)];
  const cases: readonly (readonly [unknown, readonly (string | number)[], RegExp])[] = [
    [keys(101), [], /at most 100 keys/],
    [numbers(200), [], /values/],
    [{ rest: { allowedPorts: numbers(20_000) } }, ['rest'], /20000 values/],
    [{ drivers: numbers(10_001) }, ['drivers'], /10000 items/],
    [{ drivers: [{}, { a: [keys(5000)] }] }, ['drivers', 1], /5000 values/],
    [{ assets: [keys(5001)] }, ['assets', 0], /5000 values/],
    [{ assets: [{ pid: 'a', channels }] }, ['assets', 0, 'channels', 1], /500 values/],
    [{ assets: [{ channels: numbers(100_001) }] }, ['assets', 0, 'channels'], /100000 items/],
    [{ assets: keys(5001) }, ['assets'], /5000 values/],
  ];
  for (const [document, path, message] of cases) {
    const fault = finish(findOversizedPart(document));
    assert.deepEqual(fault?.path, path);
    assert.match(fault.message, message);
  }
});
