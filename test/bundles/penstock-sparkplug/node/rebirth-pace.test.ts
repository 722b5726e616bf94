import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RebirthPace } from '../../../../bundles/penstock-sparkplug/node/rebirth-pace.ts';

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
