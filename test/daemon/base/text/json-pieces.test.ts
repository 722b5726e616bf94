import assert from 'node:assert/strict';
import { test } from 'node:test';

import { anything, assert as assertProperty, property } from 'fast-check';

import { jsonPieces } from '../../../../daemon/base/text/json-pieces.ts';

function write(value: unknown): string | undefined {
  const pieces = [...jsonPieces(value)];
  return pieces.length === 0 ? undefined : pieces.join('');
}

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
    assert.equal(write(value), JSON.stringify(value));
  }
  assertProperty(
    property(anything({ withDate: true, withNullPrototype: true }), (value) => {
      assert.equal(write(value), JSON.stringify(value));
    }),
  );
});

test('channels of an asset are written one by one', () => {
  const channels = Array.from({ length: 100 }, (_, index) => ({ name: `c${index}` }));
  const pieces = [...jsonPieces({ assets: [{ pid: 'a', channels }] })];
  assert.deepEqual(pieces.slice(0, 2), ['{"assets":[{"pid":"a"', ',"channels":[{"name":"c0"}']);
  assert.equal(pieces.length, 105);
});
