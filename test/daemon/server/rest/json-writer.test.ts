import assert from 'node:assert/strict';
import { test } from 'node:test';

import { flatten, JsonWriter } from '../../../../daemon/server/rest/json-writer.ts';

test('numbers at every length have all their digits', () => {
  const numbers = Array.from({ length: 17 }, (_, exponent) => 10 ** exponent).flatMap((power) => [
    power - 1,
    power,
    power + 1,
  ]);
  for (const number of [
    ...numbers,
    1_764_086_400_123,
    -0,
    -5,
    0.25,
    -0.001,
    0.0015,
    1e-7,
    1e21,
    123456.789,
  ]) {
    const writer = new JsonWriter(0);
    writer.number(number);
    assert.equal(writer.finish().toString(), Object.is(number, -0) ? '-0' : String(number));
  }
});

test('bytes are written as they are, between texts', () => {
  const writer = new JsonWriter(0);
  writer.text('[');
  writer.bytes(Buffer.from('"a","b"'));
  writer.text(']');
  assert.equal(writer.finish().toString(), '["a","b"]');
});

test('a flat text is the same text', () => {
  assert.equal(flatten('°C "x" 漢'), '°C "x" 漢');
});
