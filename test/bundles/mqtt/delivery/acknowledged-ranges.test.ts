import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { AcknowledgedRanges } from '../../../../bundles/mqtt/delivery/acknowledged-ranges.ts';
import { propertyTest } from '../../../property/property-test.ts';

test('acknowledged moves over the part without a hole only', () => {
  const ranges = new AcknowledgedRanges(10);
  assert.equal(ranges.complete({ after: 20, upTo: 30 }), false);
  assert.equal(ranges.acknowledged, 10);
  assert.equal(ranges.complete({ after: 10, upTo: 15 }), true);
  assert.equal(ranges.acknowledged, 15);
  assert.equal(ranges.complete({ after: 15, upTo: 20 }), true);
  assert.equal(ranges.acknowledged, 30);
});

test('missing names the holes up to a cursor', () => {
  const ranges = new AcknowledgedRanges(10);
  ranges.complete({ after: 20, upTo: 30 });
  ranges.complete({ after: 40, upTo: 50 });
  assert.deepEqual(ranges.missing(60), [
    { after: 10, upTo: 20 },
    { after: 30, upTo: 40 },
    { after: 50, upTo: 60 },
  ]);
  assert.deepEqual(ranges.missing(15), [{ after: 10, upTo: 15 }]);
  assert.deepEqual(ranges.missing(10), []);
});

test('a range that has arrived twice changes nothing', () => {
  const ranges = new AcknowledgedRanges(10);
  assert.equal(ranges.complete({ after: 5, upTo: 10 }), false);
  assert.equal(ranges.complete({ after: 5, upTo: 12 }), true);
  assert.equal(ranges.acknowledged, 12);
});

test('beyond a thousand ranges the smallest is forgotten, and nothing is lost', () => {
  const ranges = new AcknowledgedRanges(0);
  for (let index = 1; index <= 1500; index += 1) {
    ranges.complete({ after: index * 100, upTo: index * 100 + (index === 700 ? 1 : 50) });
  }
  const missing = ranges.missing(200_000);
  assert.ok(missing.length <= 1001);
  assert.ok(missing.some(({ after, upTo }) => after < 70_000 && upTo > 70_001));
  assert.equal(ranges.acknowledged, 0);
});

propertyTest(
  'arrived and missing ranges agree with a set of entries, and acknowledged never goes back',
  fc.property(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 15 })), { maxLength: 30 }),
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: 0, max: 80 }),
    (completed, start, upTo) => {
      const ranges = new AcknowledgedRanges(start);
      const arrived = new Set<number>(Array.from({ length: start }, (_, index) => index + 1));
      for (const [after, length] of completed) {
        const before = ranges.acknowledged;
        ranges.complete({ after, upTo: after + length });
        for (let entry = after + 1; entry <= after + length; entry += 1) arrived.add(entry);
        assert.ok(ranges.acknowledged >= before);
      }
      let contiguous = 0;
      while (arrived.has(contiguous + 1)) contiguous += 1;
      assert.equal(ranges.acknowledged, contiguous);
      const holes = ranges
        .missing(upTo)
        .flatMap(({ after, upTo: end }) =>
          Array.from({ length: end - after }, (_, index) => after + 1 + index),
        );
      const expected = Array.from({ length: upTo }, (_, index) => index + 1).filter(
        (entry) => !arrived.has(entry),
      );
      assert.deepEqual(holes, expected);
    },
  ),
  5,
);
