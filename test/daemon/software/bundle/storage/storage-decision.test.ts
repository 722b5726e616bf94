import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  decideStorage,
  describeExcess,
} from '../../../../../daemon/software/bundle/storage/storage-decision.ts';

const LIMITS = { bytes: 1000, entries: 10 };

for (const [bytes, entries, current, next] of [
  [0, 0, 'FREE', 'FREE'],
  [999, 10, 'FREE', 'FREE'],
  [1000, 10, 'FREE', 'FULL'],
  [4000, 10, 'FREE', 'FULL'],
  [4001, 10, 'FREE', 'EXCEEDED'],
  [1000, 10, 'FULL', 'FULL'],
  [900, 10, 'FULL', 'FULL'],
  [899, 10, 'FULL', 'FREE'],
  [4001, 10, 'FULL', 'EXCEEDED'],
  [0, 11, 'FREE', 'EXCEEDED'],
  [0, 11, 'FULL', 'EXCEEDED'],
] as const) {
  test(`decideStorage: ${bytes} of 1000 bytes and ${entries} of 10 entries make ${current} ${next}`, () => {
    assert.equal(decideStorage({ bytes, entries }, LIMITS, current), next);
  });
}

test('decideStorage stops a bundle whose data cannot be measured', () => {
  const usage = { bytes: 0, entries: 1, unreadable: 'ENAMETOOLONG' };
  assert.equal(decideStorage(usage, LIMITS, 'FREE'), 'EXCEEDED');
  assert.match(describeExcess(usage, LIMITS), /cannot be measured: ENAMETOOLONG/);
});

test('describeExcess names the limit that is exceeded', () => {
  assert.match(describeExcess({ bytes: 0, entries: 11 }, LIMITS), /more than 10 files/);
  assert.match(describeExcess({ bytes: 2000, entries: 1 }, LIMITS), /more than 1000 bytes/);
});
