import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { delayBefore, phaseOf } from '../../../../bundles/mqtt/delivery/backoff.ts';
import { propertyTest } from '../../../property/property-test.ts';

test('the first delay depends on the name of the gateway alone, and is spread over seven seconds', () => {
  const delays = Array.from({ length: 1000 }, (_, index) => delayBefore(0, phaseOf(`gateway-${index}`), 0.5));
  assert.equal(delayBefore(0, phaseOf('gateway-7'), 0.1), delays[7]);
  const perSecond = Map.groupBy(delays, (ms) => Math.floor(ms / 1000));
  assert.deepEqual(
    [...perSecond.keys()].toSorted((one, other) => one - other),
    [1, 2, 3, 4, 5, 6, 7],
  );
  for (const [second, list] of perSecond) assert.ok(list.length < 200, `${list.length} in second ${second}`);
});

test('gateways with the same random numbers come back at different times', () => {
  const delays = ['a', 'b', 'c', 'd'].map((name) => delayBefore(3, phaseOf(name), 0.25));
  assert.equal(new Set(delays).size, 4);
});

propertyTest(
  'a delay is between a second and a bound that doubles up to a minute',
  fc.property(
    fc.integer({ min: 0, max: 5000 }),
    fc.string(),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    (failures, name, random) => {
      const delay = delayBefore(failures, phaseOf(name), random);
      assert.ok(delay >= 1000);
      assert.ok(delay <= Math.min(60_000, 8000 * 2 ** failures));
    },
  ),
);
