import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findExpiryThreshold } from '../../../../daemon/security/certificate/trust-report.ts';

const DAY_MS = 86_400_000;
const END_MS = 1_800_000_000_000;

for (const [leftMs, threshold] of [
  [31 * DAY_MS, undefined],
  [30 * DAY_MS + 1, undefined],
  [30 * DAY_MS, 30],
  [7 * DAY_MS + 1, 30],
  [7 * DAY_MS, 7],
  [DAY_MS + 1, 7],
  [DAY_MS, 1],
  [0, 1],
  [-1, 0],
  [-400 * DAY_MS, 0],
] as const) {
  test(`findExpiryThreshold returns ${threshold ?? 'nothing'} when ${leftMs} ms are left`, () => {
    assert.equal(findExpiryThreshold(END_MS, END_MS - leftMs), threshold);
  });
}
