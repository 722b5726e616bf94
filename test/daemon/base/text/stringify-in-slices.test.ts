import assert from 'node:assert/strict';
import { test } from 'node:test';

import { anything, assert as assertProperty, property } from 'fast-check';

import { finish } from '../../../../daemon/base/slices.ts';
import { stringifyInSlices } from '../../../../daemon/base/text/stringify-in-slices.ts';

test('the text is that of JSON.stringify', () => {
  const special = {
    'with "quotes"': [undefined, null, Number.NaN, -0, 'ä\u2028', () => 1],
    nothing: undefined,
    date: new Date(0),
    own: { toJSON: () => ({ a: 1 }) },
    map: new Map([[1, 2]]),
    deep: [[[[[[{ a: [1, { b: [] }] }]]]]]],
    ['__proto__']: { c: {} },
  };
  for (const value of [special, [], {}, 'text', 1, null, undefined, [undefined]]) {
    assert.equal(finish(stringifyInSlices(value)), JSON.stringify(value));
  }
  assertProperty(
    property(anything({ withDate: true, withNullPrototype: true }), (value) => {
      assert.equal(finish(stringifyInSlices(value)), JSON.stringify(value));
    }),
  );
});

test('channels of an asset are written one by one', () => {
  const channels = Array.from({ length: 100 }, (_, index) => ({ name: `c${index}` }));
  const work = stringifyInSlices({ assets: [{ pid: 'a', channels }] });
  let turns = 0;
  while (work.next().done !== true) turns += 1;
  assert.equal(turns, 101);
});
