import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { computeCode, STEP_SECONDS } from '../../daemon/security/identity/second-factor/one-time-code.ts';
import { MAXIMUM_USED_STEPS, takeCode } from '../../daemon/security/identity/second-factor/second-factor.ts';
import type { SecondFactor } from '../../daemon/security/identity/second-factor/second-factor.ts';
import { propertyTest } from './property-test.ts';

const secret = Buffer.from('12345678901234567890');
const FIRST_STEP = 1000;

function take(factor: SecondFactor, step: number, nowStep: number) {
  const text = computeCode(secret, step);
  return takeCode(factor, { identityId: 'id', text, nowMs: nowStep * STEP_SECONDS * 1000 });
}

// A clock that goes on, stands still and is set back and forth, and codes near its time.
const attempts = fc.array(
  fc.record({
    steps: fc.oneof(fc.constantFrom(0, 1, 2), fc.integer({ min: -40, max: 40 })),
    of: fc.integer({ min: -3, max: 3 }),
  }),
  { maxLength: MAXIMUM_USED_STEPS },
);

propertyTest(
  'no code is accepted twice, nor one away from the present step, however the clock is set',
  fc.property(attempts, (list) => {
    let factor: SecondFactor = { secret, usedSteps: [], recoveryDigests: [] };
    let nowStep = FIRST_STEP;
    const accepted: number[] = [];
    for (const { steps, of } of list) {
      nowStep = Math.max(3, nowStep + steps);
      const taken = take(factor, nowStep + of, nowStep);
      if (taken === undefined) continue;
      assert.ok(Math.abs(of) <= 1);
      accepted.push(nowStep + of);
      factor = taken.left;
    }
    assert.equal(new Set(accepted).size, accepted.length);
  }),
);

propertyTest(
  'however the clock was set, a code is accepted again within three steps more than codes were used',
  fc.property(attempts, (list) => {
    let factor: SecondFactor = { secret, usedSteps: [], recoveryDigests: [] };
    let nowStep = FIRST_STEP;
    for (const { steps, of } of list) {
      nowStep = Math.max(3, nowStep + steps);
      factor = take(factor, nowStep + of, nowStep)?.left ?? factor;
    }
    const waits = Array.from({ length: factor.usedSteps.length + 3 }, (_, wait) => wait);
    assert.ok(waits.some((wait) => take(factor, nowStep + wait, nowStep + wait) !== undefined));
  }),
);
