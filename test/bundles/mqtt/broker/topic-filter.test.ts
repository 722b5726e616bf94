import assert from 'node:assert/strict';
import { test } from 'node:test';

import { matchesFilter } from '../../../../bundles/mqtt/broker/topic-filter.ts';

for (const [filter, topic, expected] of [
  ['a/b', 'a/b', true],
  ['a/b', 'a/c', false],
  ['a/b', 'a/b/c', false],
  ['a/b/c', 'a/b', false],
  ['a/+', 'a/b', true],
  ['a/+', 'a/b/c', false],
  ['a/+', 'a', false],
  ['a/+/c', 'a//c', true],
  ['a/#', 'a/b/c', true],
  ['#', 'a', true],
] as const) {
  test(`the filter ${filter} ${expected ? 'matches' : 'does not match'} the topic ${topic}`, () => {
    assert.equal(matchesFilter(filter, topic), expected);
  });
}
