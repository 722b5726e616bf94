import assert from 'node:assert/strict';
import { test } from 'node:test';

import { flatten, JsonWriter } from '../../../daemon/rest/json-writer.ts';

test('numbers at every length have all their digits', () => {
  const numbers = Array.from({ length: 17 }, (_, exponent) => 10 ** exponent).flatMap((power) => [
    power - 1,
    power,
    power + 1,
  ]);
  for (const number of [...numbers, 1_764_086_400_123, -5, 0.25]) {
    const writer = new JsonWriter(0);
    writer.number(number);
    assert.equal(writer.finish().toString(), String(number));
  }
});

test('a flat text is the same text', () => {
  assert.equal(flatten('°C "x" 漢'), '°C "x" 漢');
});
