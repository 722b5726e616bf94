import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { JsonWriter } from '../../daemon/server/rest/json-writer.ts';
import { propertyTest } from './property-test.ts';

// As instruments deliver them: a few digits before and behind the point.
const decimal = fc
  .tuple(fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), fc.constantFrom(1, 10, 100, 1000, 10_000))
  .map(([digits, divisor]) => digits / divisor);

const part = fc.oneof(
  decimal,
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer({ min: 0 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 9, 10, 9_999_999, 10_000_000, 10_000_001, 2 ** 31, Number.MAX_SAFE_INTEGER),
);

propertyTest(
  'what a JsonWriter writes is the text of its parts, however long it was expected to be',
  fc.property(fc.array(part), fc.integer({ min: 0, max: 64 }), (parts, expectedBytes) => {
    const writer = new JsonWriter(expectedBytes);
    for (const each of parts) {
      if (typeof each === 'string') writer.text(each);
      else writer.number(each);
    }
    const texts = parts.map((each) => (Object.is(each, -0) ? '-0' : String(each)));
    assert.equal(writer.finish().toString(), texts.join(''));
  }),
);

propertyTest(
  'thousandths are written as the shortest decimal of their sum',
  fc.property(fc.integer({ min: -(10 ** 12) + 1, max: 10 ** 12 - 1 }), (count) => {
    const writer = new JsonWriter(0);
    writer.thousandths(count);
    assert.equal(writer.finish().toString(), String(count / 1000));
  }),
);
