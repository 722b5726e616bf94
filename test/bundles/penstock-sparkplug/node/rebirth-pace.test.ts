import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { RebirthPace } from '../../../../bundles/penstock-sparkplug/node/rebirth-pace.ts';
import { propertyTest } from '../../../property/property-test.ts';

/** Shortest time between two births that were requested. */
const INTERVAL_MS = 5000;

test('a first request is answered at once, also right after the birth of a connection', () => {
  const pace = new RebirthPace();
  pace.onBirth(1000);
  assert.equal(pace.request(1001), 0);
});

test('further requests wait for one birth at the end of the interval', () => {
  const pace = new RebirthPace();
  assert.equal(pace.request(1000), 0);
  pace.onBirth(1000);
  assert.equal(pace.request(1200), INTERVAL_MS - 200);
  assert.equal(pace.dueMs, 1000 + INTERVAL_MS);
  assert.equal(pace.request(1300), undefined);
  pace.onBirth(1000 + INTERVAL_MS);
  assert.equal(pace.dueMs, undefined);
  assert.equal(pace.request(1001 + INTERVAL_MS), INTERVAL_MS - 1);
});

test('a request after the interval is answered at once', () => {
  const pace = new RebirthPace();
  pace.request(1000);
  pace.onBirth(1000);
  assert.equal(pace.request(1000 + INTERVAL_MS), 0);
});

propertyTest(
  'births that requests cause are five seconds apart, and no request is without one that follows',
  fc.property(fc.array(fc.nat(3000), { maxLength: 50 }), (pauses) => {
    const pace = new RebirthPace();
    const births: number[] = [];
    let nowMs = 0;
    let dueMs: number | undefined;
    let lastRequestMs = -1;
    const catchUp = (): void => {
      if (dueMs === undefined || dueMs > nowMs) return;
      pace.onBirth(dueMs);
      births.push(dueMs);
      dueMs = undefined;
    };
    for (const pause of pauses) {
      nowMs += pause;
      catchUp();
      lastRequestMs = nowMs;
      const delayMs = pace.request(nowMs);
      if (delayMs !== undefined) dueMs = nowMs + delayMs;
      catchUp();
    }
    nowMs += 5000;
    catchUp();
    assert.ok(births.every((birth, index) => index === 0 || birth - (births[index - 1] ?? 0) >= 5000));
    assert.ok(pauses.length === 0 || (births.at(-1) ?? -1) >= lastRequestMs);
  }),
);
