import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import { StoreFailure } from '../../../../daemon/base/store/transaction.ts';
import {
  idempotencyMigrations,
  RETENTION_MS,
  IdempotencyStore,
} from '../../../../daemon/security/idempotency/idempotency-store.ts';
import type { IdempotencyLimits } from '../../../../daemon/security/idempotency/idempotency-quota.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LIMITS = { keys: 100, bytes: 1_000_000 };
const owner = { identity: 'scada', key: 'a' };
const request = { ...owner, digest: 'd', bodyBytes: 10 };
const answer = { status: 200, headers: { Location: '/x', Allow: ['GET', 'PUT'] }, body: Buffer.from('[1]') };

function openLedger(limits: IdempotencyLimits = LIMITS, clock = new ManualClock()) {
  const store = openStore(':memory:', [idempotencyMigrations]);
  return { store, clock, ledger: new IdempotencyStore({ store, clock, limits }) };
}

/** A clock whose time of the epoch can be set, as that of a machine. */
class SettableClock extends ManualClock {
  offsetMs = 0;

  override epochMs(): number {
    return super.epochMs() + this.offsetMs;
  }
}

test('claim gives the answer that was recorded, also to the next run of the gateway', () => {
  const { store, clock, ledger } = openLedger();
  assert.deepEqual(ledger.claim(request), { state: 'NEW' });
  ledger.complete(owner, answer);
  assert.deepEqual(ledger.claim(request), { state: 'ANSWERED', answer, nowMs: clock.epochMs() });
  assert.deepEqual(new IdempotencyStore({ store, clock }).claim(request), {
    state: 'ANSWERED',
    answer,
    nowMs: clock.epochMs(),
  });
});

test('claim detects a request whose response was never recorded, and reuse for a different request', () => {
  const { store, clock, ledger } = openLedger();
  ledger.claim(request);
  const next = new IdempotencyStore({ store, clock });
  assert.deepEqual(next.claim(request), { state: 'INTERRUPTED', nowMs: clock.epochMs() });
  assert.deepEqual(next.claim({ ...request, digest: 'other' }), { state: 'REUSED' });
});

test('a key belongs to one identity', () => {
  const { ledger } = openLedger();
  ledger.claim(request);
  ledger.complete(owner, answer);
  assert.deepEqual(ledger.claim({ ...request, identity: 'operator', digest: 'other' }), { state: 'NEW' });
});

test('begin refuses a key whose request runs', () => {
  const { ledger } = openLedger();
  assert.equal(ledger.begin(owner), true);
  assert.equal(ledger.begin(owner), false);
  assert.equal(ledger.begin({ ...owner, identity: 'operator' }), true);
  ledger.end(owner);
  assert.equal(ledger.begin(owner), true);
});

test('a released key is as new', () => {
  const { ledger } = openLedger({ keys: 2, bytes: 1_000_000 });
  ledger.claim(request);
  ledger.release(owner);
  assert.deepEqual(ledger.claim({ ...request, digest: 'other' }), { state: 'NEW' });
});

test('a key is kept for 24 hours', () => {
  const { clock, ledger } = openLedger();
  ledger.claim(request);
  ledger.complete(owner, answer);
  clock.advance(RETENTION_MS - 1);
  assert.equal(ledger.claim(request).state, 'ANSWERED');
  clock.advance(1);
  assert.equal(ledger.claim(request).state, 'NEW');
});

for (const [setMs, what] of [
  [40 * 365 * 24 * 3_600_000, 'forward'],
  [-40 * 365 * 24 * 3_600_000, 'back'],
] as const) {
  test(`a clock that is set ${what} by years neither deletes a key early nor keeps it too long`, () => {
    const clock = new SettableClock();
    const { ledger } = openLedger(LIMITS, clock);
    ledger.claim(request);
    ledger.complete(owner, answer);
    clock.advance(3_600_000);
    clock.offsetMs = setMs;
    assert.equal(ledger.claim(request).state, 'ANSWERED');
    clock.advance(RETENTION_MS - 3_600_001);
    assert.equal(ledger.claim(request).state, 'ANSWERED');
    clock.advance(1);
    assert.equal(ledger.claim(request).state, 'NEW');
  });
}

test('one identity may have half of the keys, and another still finds room', () => {
  const { clock, ledger } = openLedger({ keys: 10, bytes: 1_000_000 });
  const claim = (identity: string, key: number) =>
    ledger.claim({ ...request, identity, key: String(key) }).state;
  const states = Array.from({ length: 7 }, (_, key) => claim('scada', key));
  assert.deepEqual(states, ['NEW', 'NEW', 'NEW', 'NEW', 'NEW', 'FULL', 'FULL']);
  assert.equal(claim('operator', 0), 'NEW');
  // What is known is answered all the same, and room comes back with the age of the keys.
  assert.equal(claim('scada', 0), 'INTERRUPTED');
  clock.advance(RETENTION_MS);
  assert.equal(claim('scada', 9), 'NEW');
});

test('the answers count by their bytes, also for the next run of the gateway', () => {
  const limits = { keys: 1000, bytes: 100_000 };
  const { store, clock, ledger } = openLedger(limits);
  ledger.claim(request);
  ledger.complete(owner, { ...answer, body: Buffer.alloc(60_000) });
  assert.equal(ledger.claim({ ...request, key: 'b' }).state, 'FULL');
  const next = new IdempotencyStore({ store, clock, limits });
  assert.equal(next.claim({ ...request, key: 'b' }).state, 'FULL');
  assert.equal(next.claim({ ...request, identity: 'operator' }).state, 'NEW');
});

test('a key that the disk refuses is not known, and takes no room', () => {
  const { store, ledger } = openLedger({ keys: 2, bytes: 1_000_000 });
  store.database.exec('PRAGMA max_page_count = 1');
  assert.throws(
    () => {
      for (let key = 0; key < 200; key += 1) {
        ledger.claim({ ...request, key: `key-${key}`, digest: 'd'.repeat(20_000) });
        ledger.release({ identity: 'scada', key: `key-${key}` });
      }
    },
    (error) => error instanceof StoreFailure && error.code === 'STORE_FULL',
  );
  store.database.exec('PRAGMA max_page_count = 10000');
  assert.equal(ledger.claim(request).state, 'NEW');
});
