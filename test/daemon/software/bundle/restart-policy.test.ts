import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decideRestart, NO_ENDS } from '../../../../daemon/software/bundle/restart-policy.ts';
import type { RestartDecision, UnwantedEnd } from '../../../../daemon/software/bundle/restart-policy.ts';

function decideAll(ends: readonly UnwantedEnd[]): readonly RestartDecision[] {
  let history = NO_ENDS;
  return ends.map((end) => {
    const decided = decideRestart(history, end);
    history = decided.history;
    return decided.decision;
  });
}

test('the pause before a restart doubles with each consecutive exit', () => {
  const decisions = decideAll([0, 1, 2, 3].map((atMs) => ({ atMs, activeMs: 10 })));
  assert.deepEqual(
    decisions.map((decision) => (decision.kind === 'RESTART' ? decision.delayMs : decision.kind)),
    [1000, 2000, 4000, 8000],
  );
});

test('a crash loop is abandoned at the fifth consecutive exit', () => {
  const decisions = decideAll([0, 1, 2, 3, 4].map((atMs) => ({ atMs, activeMs: 0 })));
  assert.equal(decisions[4]?.kind, 'GIVE_UP');
});

test('a stable period resets the pause', () => {
  const decisions = decideAll([
    { atMs: 0, activeMs: 0 },
    { atMs: 1, activeMs: 0 },
    { atMs: 100_000, activeMs: 60_000 },
  ]);
  assert.deepEqual(decisions[2], { kind: 'RESTART', delayMs: 1000 });
});

test('a bundle is abandoned after ten exits within an hour, however stable it was in between', () => {
  const spread = Array.from({ length: 10 }, (_, index) => ({ atMs: index * 300_000, activeMs: 200_000 }));
  assert.deepEqual(
    decideAll(spread).map(({ kind }) => kind),
    [...Array.from({ length: 9 }, () => 'RESTART'), 'GIVE_UP'],
  );
});

test('exits of more than an hour ago are not counted', () => {
  const spread = Array.from({ length: 30 }, (_, index) => ({ atMs: index * 400_000, activeMs: 300_000 }));
  assert.ok(decideAll(spread).every(({ kind }) => kind === 'RESTART'));
});
