import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TokenBucket } from '../../../../../daemon/software/bundle/message/token-bucket.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

test('a burst is spent at once, then tokens at the rate', () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ capacity: 5, perSecond: 10, clock });
  for (let index = 0; index < 5; index += 1) {
    assert.equal(bucket.waitMs(), 0);
    bucket.spend(1);
  }
  assert.equal(bucket.waitMs(), 100);
  clock.advance(100);
  assert.equal(bucket.waitMs(), 0);
});

test('a spender beyond the capacity waits until the debt is paid', () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ capacity: 5, perSecond: 10, clock });
  bucket.spend(25);
  assert.equal(bucket.waitMs(), 2100);
});

test('a long rest refills no more than the burst', () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ capacity: 5, perSecond: 10, clock });
  clock.advance(3_600_000);
  bucket.spend(5);
  assert.equal(bucket.waitMs(), 100);
});
