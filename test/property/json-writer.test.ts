import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { JsonWriter } from '../../daemon/rest/json-writer.ts';
import { propertyTest } from './property-test.ts';

const part = fc.oneof(
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
    assert.equal(writer.finish().toString(), parts.map(String).join(''));
  }),
);
