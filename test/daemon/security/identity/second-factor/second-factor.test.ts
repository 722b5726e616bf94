import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  computeCode,
  STEP_SECONDS,
  stepAt,
} from '../../../../../daemon/security/identity/second-factor/one-time-code.ts';
import {
  createRecoveryCodes,
  digestRecoveryCode,
} from '../../../../../daemon/security/identity/second-factor/recovery-code.ts';
import {
  MAXIMUM_USED_STEPS,
  takeCode,
} from '../../../../../daemon/security/identity/second-factor/second-factor.ts';
import type { SecondFactor } from '../../../../../daemon/security/identity/second-factor/second-factor.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';

const STEP_MS = STEP_SECONDS * 1000;
const NOW_MS = 1_700_000_010_000;
const NOW = stepAt(NOW_MS);
const secret = Buffer.from('12345678901234567890');
const unused: SecondFactor = { secret, usedSteps: [], recoveryDigests: [] };

function take(factor: SecondFactor, text: string, nowMs = NOW_MS) {
  return takeCode(factor, { identityId: 'id of scada', text, nowMs });
}

/** Uses the code of a step at that step, and returns what is left. */
function use(factor: SecondFactor, step: number): SecondFactor {
  const taken = take(factor, computeCode(secret, step), step * STEP_MS);
  assert.ok(taken !== undefined);
  return taken.left;
}

test('the codes of the step and its neighbours are accepted, and the used one is recorded', () => {
  for (const step of [NOW - 1, NOW, NOW + 1]) {
    const taken = take(unused, computeCode(secret, step));
    assert.deepEqual(taken, { kind: 'TOTP', left: { ...unused, usedSteps: [step] } });
  }
});

test('codes further away, of another secret and of another form are wrong', () => {
  for (const step of [NOW - 2, NOW + 2]) assert.equal(take(unused, computeCode(secret, step)), undefined);
  const other = computeCode(Buffer.from('another secret of 20'), NOW);
  for (const text of [other, '', '12345', 'abcdef']) assert.equal(take(unused, text), undefined, text);
});

test('a code is accepted up to the last millisecond of the step after its own', () => {
  const code = computeCode(secret, NOW);
  const beginMs = NOW * STEP_MS;
  assert.ok(take(unused, code, beginMs - STEP_MS));
  assert.equal(take(unused, code, beginMs - STEP_MS - 1), undefined);
  assert.ok(take(unused, code, beginMs + 2 * STEP_MS - 1));
  assert.equal(take(unused, code, beginMs + 2 * STEP_MS), undefined);
});

test('a code works once, and none of an earlier step works after it', () => {
  const left = use(unused, NOW);
  assert.equal(take(left, computeCode(secret, NOW)), undefined);
  assert.equal(take(left, computeCode(secret, NOW - 1)), undefined);
  assert.ok(take(left, computeCode(secret, NOW + 1)));
});

test('after a clock that was ahead has been set back, codes work again, and used ones still do not', () => {
  const early = use(unused, NOW);
  const ahead = use(use(early, NOW + 1_000_000), NOW + 1_000_001);
  assert.equal(take(ahead, computeCode(secret, NOW)), undefined);
  const back = use(ahead, NOW + 1);
  assert.equal(take(back, computeCode(secret, NOW + 1)), undefined);
  assert.equal(take(back, computeCode(secret, NOW + 1_000_000), (NOW + 1_000_000) * STEP_MS), undefined);
});

test('a clock that was set back by one step delays codes for no longer than the window', () => {
  const left = use(unused, NOW + 1);
  assert.equal(take(left, computeCode(secret, NOW)), undefined);
  assert.ok(take(left, computeCode(secret, NOW + 2), (NOW + 1) * STEP_MS));
});

test('as many used steps as that are remembered, the earliest is forgotten first', () => {
  let factor = unused;
  for (let index = 0; index <= MAXIMUM_USED_STEPS; index += 1) factor = use(factor, NOW + index);
  assert.equal(factor.usedSteps.length, MAXIMUM_USED_STEPS);
  assert.deepEqual([factor.usedSteps[0], factor.usedSteps.at(-1)], [NOW + 1, NOW + MAXIMUM_USED_STEPS]);
});

test('each recovery code works once, however it is typed, and for its identity only', () => {
  const codes = createRecoveryCodes(systemRandom);
  assert.equal(new Set(codes).size, 10);
  const recoveryDigests = codes.flatMap((code) => digestRecoveryCode('id of scada', code) ?? []);
  const factor = { ...unused, recoveryDigests };
  const [first = '', second = ''] = codes;
  assert.match(first, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/);
  const taken = take(factor, ` ${first.toLowerCase().replaceAll('-', ' ')} `);
  assert.deepEqual(taken, {
    kind: 'RECOVERY_CODE',
    left: { ...factor, recoveryDigests: recoveryDigests.slice(1) },
  });
  assert.ok(taken !== undefined);
  assert.equal(take(taken.left, first), undefined);
  assert.ok(take(taken.left, second));
  assert.equal(takeCode(factor, { identityId: 'id of another', text: first, nowMs: NOW_MS }), undefined);
});

test('digestRecoveryCode returns undefined for what is no recovery code', () => {
  for (const text of ['', '123456', 'ABCD-EFGH-IJKL', 'ABCD-EFGH-IJKL-MNO1', 'ABCD-EFGH-IJKL-MNOPQ']) {
    assert.equal(digestRecoveryCode('id', text), undefined, text);
  }
});
