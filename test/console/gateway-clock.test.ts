import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GatewayClock } from '../../daemon/console/api/gateway-clock.ts';

const NOON_MS = Date.parse('2026-11-25T12:00:00Z');

function dateAt(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Notes an answer that a gateway with this clock gave in the middle of the time that it took. */
function exchange(
  clock: GatewayClock,
  { aheadMs, askedMs, tookMs }: Readonly<Record<'aheadMs' | 'askedMs' | 'tookMs', number>>,
): void {
  const answeredMs = askedMs + tookMs;
  clock.note(dateAt(askedMs + tookMs / 2 + aheadMs), { askedMs, answeredMs });
}

test('clocks that agree stay together, however long an answer was under way', () => {
  const clock = new GatewayClock();
  for (const tookMs of [10, 5000, 30_000, 20]) {
    exchange(clock, { aheadMs: 0, askedMs: NOON_MS + 400, tookMs });
    assert.equal(clock.aheadMs, 0);
  }
});

test('a clock that goes wrong by an hour is known to a second after one answer, and better after more', () => {
  for (const aheadMs of [3_600_000, -3_600_000]) {
    const clock = new GatewayClock();
    const errors = [0, 450, 900].map((ms) => {
      exchange(clock, { aheadMs, askedMs: NOON_MS + ms, tookMs: 20 });
      return Math.abs(clock.aheadMs - aheadMs);
    });
    assert.ok((errors[0] ?? Infinity) <= 1000, String(errors));
    assert.ok((errors[2] ?? Infinity) <= 120, String(errors));
    assert.deepEqual(
      errors,
      errors.toSorted((a, b) => b - a),
    );
  }
});

test('an answer without a date, or with one that is none, moves nothing', () => {
  const clock = new GatewayClock();
  for (const date of [null, '', 'soon']) clock.note(date, { askedMs: NOON_MS, answeredMs: NOON_MS + 10 });
  assert.equal(clock.aheadMs, 0);
});
