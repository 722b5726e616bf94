import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import {
  BURST,
  EVENTS_PER_SECOND,
  AuditRateLimiter,
  MAXIMUM_ADDRESSES,
  MAXIMUM_IDENTITIES,
} from '../../../../daemon/security/audit/audit-rate-limiter.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const mallory = { identity: 'mallory', address: '192.0.2.66' };
const scada = { identity: 'scada', address: '192.0.2.1' };
const failure: AuditReport = { event: 'CHANNEL_WRITE', outcome: 'FAILURE', ...mallory };
const success: AuditReport = { ...failure, outcome: 'SUCCESS' };

function admitMany(limiter: AuditRateLimiter, report: AuditReport, count: number): number {
  return Array.from({ length: count }, () => limiter.admit(report)).filter(Boolean).length;
}

test('a burst is admitted and the rest is counted, with its source and its time', () => {
  const clock = new ManualClock();
  const limiter = new AuditRateLimiter(clock);
  const fromMs = clock.epochMs();
  assert.equal(admitMany(limiter, failure, BURST + 29), BURST);
  clock.advance(50);
  limiter.admit(failure);
  assert.deepEqual(limiter.takeSuppressed(), [
    { event: 'CHANNEL_WRITE', outcome: 'FAILURE', ...mallory, count: 30, fromMs, toMs: fromMs + 50 },
  ]);
});

test('a flood of one identity hides nothing of another one', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  admitMany(limiter, failure, 10_000);
  assert.equal(limiter.admit({ ...failure, ...scada }), true);
  assert.equal(limiter.admit({ ...failure, ...mallory, identity: 'scada' }), true);
});

test('a flood from one address hides nothing of the same identity elsewhere', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  admitMany(limiter, failure, 10_000);
  assert.equal(limiter.admit({ ...failure, address: '192.0.2.67' }), true);
});

test('addresses of one /64 are one source', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  for (let index = 0; index < BURST; index += 1) limiter.admit({ ...failure, address: `2001:db8::${index}` });
  assert.equal(limiter.admit({ ...failure, address: '2001:db8::ffff' }), false);
  assert.equal(limiter.takeSuppressed()[0]?.address, '2001:db8:0:0::/64');
});

test('sound trials of writes hold back no failure', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  assert.equal(admitMany(limiter, { ...success, event: 'CHANNEL_WRITE_TRIED' }, 10_000), 10_000);
  assert.equal(admitMany(limiter, failure, BURST), BURST);
});

test('an operation with an effect is always admitted, even where it failed in part', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  admitMany(limiter, failure, 10_000);
  assert.equal(admitMany(limiter, success, 10_000), 10_000);
  assert.equal(admitMany(limiter, { ...failure, hasEffect: true }, 1000), 1000);
});

test('requests over the local socket without an effect are counted', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  const local: AuditReport = { event: 'LOCAL_ACCESS', outcome: 'SUCCESS', address: 'local' };
  assert.equal(admitMany(limiter, local, 1000), BURST);
  assert.equal(limiter.takeSuppressed()[0]?.address, 'local');
});

test('kinds of one source share its bound and are counted separately', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  admitMany(limiter, failure, BURST + 2);
  admitMany(limiter, { ...failure, event: 'ACCESS_REFUSED' }, 3);
  assert.deepEqual(
    limiter.takeSuppressed().map(({ event, count }) => [event, count]),
    [
      ['CHANNEL_WRITE', 2],
      ['ACCESS_REFUSED', 3],
    ],
  );
});

test('unknown clients with many addresses share one bound and take nothing from identities', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  const strange: AuditReport = { event: 'LOGIN', outcome: 'FAILURE' };
  let admitted = 0;
  for (let index = 0; index < 20_000; index += 1) {
    if (limiter.admit({ ...strange, address: `10.${index >> 8}.${index & 255}.1` })) admitted += 1;
  }
  assert.equal(admitted, MAXIMUM_ADDRESSES + BURST);
  const { identity, address, count } = limiter.takeSuppressed()[0] ?? {};
  assert.deepEqual(
    { identity, address, count },
    { identity: undefined, address: undefined, count: 20_000 - admitted },
  );
  assert.equal(limiter.admit({ ...failure, ...scada }), true);
});

test('identities beyond the number tracked are counted together', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  let admitted = 0;
  for (let index = 0; index < 3 * MAXIMUM_IDENTITIES; index += 1) {
    if (limiter.admit({ ...failure, identity: `name${index}` })) admitted += 1;
  }
  assert.equal(admitted, MAXIMUM_IDENTITIES + BURST);
});

test('quiet sources make room for others', () => {
  const clock = new ManualClock();
  const limiter = new AuditRateLimiter(clock);
  for (let index = 0; index < MAXIMUM_ADDRESSES; index += 1) {
    admitMany(limiter, { ...failure, address: `192.0.2.${index}` }, BURST);
  }
  clock.advance(3_600_000);
  assert.equal(admitMany(limiter, { ...failure, address: '198.51.100.1' }, BURST), BURST);
  assert.equal(admitMany(limiter, { ...failure, address: '198.51.100.2' }, BURST), BURST);
});

test('after a flood as many events are admitted as the elapsed time allows', () => {
  const clock = new ManualClock();
  const limiter = new AuditRateLimiter(clock);
  admitMany(limiter, failure, 1000);
  clock.advance(1000);
  assert.equal(admitMany(limiter, failure, 1000), EVENTS_PER_SECOND);
  clock.advance(3_600_000);
  assert.equal(admitMany(limiter, failure, 1000), BURST);
});

test('each count is reported once', () => {
  const limiter = new AuditRateLimiter(new ManualClock());
  admitMany(limiter, failure, BURST + 1);
  limiter.takeSuppressed();
  assert.deepEqual(limiter.takeSuppressed(), []);
});
