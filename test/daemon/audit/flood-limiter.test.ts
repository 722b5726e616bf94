import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AuditKind } from '../../../daemon/audit/audit-event.ts';
import { BURST, EVENTS_PER_SECOND, FloodLimiter } from '../../../daemon/audit/flood-limiter.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const failure: AuditKind = { event: 'LOGIN', outcome: 'FAILURE' };
const success: AuditKind = { event: 'LOGIN', outcome: 'SUCCESS' };

function admitMany(limiter: FloodLimiter, kind: AuditKind, count: number): number {
  return Array.from({ length: count }, () => limiter.admit(kind)).filter(Boolean).length;
}

test('a burst is admitted and the rest is counted', () => {
  const limiter = new FloodLimiter(new ManualClock());
  assert.equal(admitMany(limiter, failure, BURST + 30), BURST);
  assert.deepEqual(limiter.takeSuppressed(), [{ ...failure, count: 30 }]);
});

test('a flood of one outcome takes nothing from the other', () => {
  const limiter = new FloodLimiter(new ManualClock());
  admitMany(limiter, failure, 10_000);
  assert.equal(limiter.admit(success), true);
});

test('after a flood so many are admitted as the time allows', () => {
  const clock = new ManualClock();
  const limiter = new FloodLimiter(clock);
  admitMany(limiter, failure, 1000);
  clock.advance(1000);
  assert.equal(admitMany(limiter, failure, 1000), EVENTS_PER_SECOND);
  clock.advance(3_600_000);
  assert.equal(admitMany(limiter, failure, 1000), BURST);
});

test('what was counted is given once', () => {
  const limiter = new FloodLimiter(new ManualClock());
  admitMany(limiter, failure, BURST + 1);
  limiter.takeSuppressed();
  assert.deepEqual(limiter.takeSuppressed(), []);
});
