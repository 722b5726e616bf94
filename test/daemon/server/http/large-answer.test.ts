import assert from 'node:assert/strict';
import { test } from 'node:test';

import { okForEach, okInSlices, PIECE_LENGTH } from '../../../../daemon/server/http/answer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('a small value is answered as a whole, a large one in pieces, both with the same text', async () => {
  for (const count of [0, 1, 3000, 10_000]) {
    const value = {
      assets: Array.from({ length: count }, (_, index) => ({ pid: `asset${index}`, channels: [] })),
    };
    const { status, headers, json, pieces } = await okInSlices(value, new ManualClock(), { ETag: '"1"' });
    let text = json ?? '';
    for await (const part of pieces?.parts ?? []) text += part.toString();
    assert.equal(pieces === undefined, JSON.stringify(value).length < PIECE_LENGTH, String(count));
    assert.equal(text, JSON.stringify(value));
    assert.deepEqual([status, headers], [200, { ETag: '"1"' }]);
  }
});

test('a long list is answered in pieces, and others have their turn between its elements', async () => {
  const clock = new ManualClock();
  let turns = 0;
  const counting = {
    monotonicMs: () => clock.monotonicMs(),
    spareTurn: () => {
      turns += 1;
      return clock.spareTurn();
    },
  };
  const make = (index: number): object => {
    clock.advance(1);
    return { pid: `asset${index}`, note: 'x'.repeat(100) };
  };
  const numbers = Array.from({ length: 1000 }, (_, index) => index);
  const { pieces } = await okForEach(numbers, make, counting);
  assert.ok(pieces);
  assert.ok(turns >= 99, String(turns));
  let text = '';
  for await (const part of pieces.parts) text += part.toString();
  assert.equal(text, JSON.stringify(numbers.map(make)));
});
