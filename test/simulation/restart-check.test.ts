import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RestartCheck } from './bundles/restart-check.ts';

/** A check whose time is set by hand, and what it has found. */
function createBench() {
  let nowMs = 0;
  const found: string[] = [];
  const check = new RestartCheck({ monotonicMs: () => nowMs }, { break: (name) => void found.push(name) });
  /** The bundle starts, and ends by itself after so long. */
  const run = (activeMs: number): void => {
    check.noteStart('pump');
    const activeSinceMs = nowMs;
    nowMs += activeMs;
    check.noteEnd('pump', { activeSinceMs, isWanted: false });
  };
  const pass = (ms: number): void => void (nowMs += ms);
  return { check, found, run, pass };
}

test('a bundle may start again after pauses that double', () => {
  const { found, run, pass } = createBench();
  for (const pauseMs of [1000, 2000, 4000, 8000]) {
    run(10);
    pass(pauseMs);
  }
  run(10);
  assert.deepEqual(found, []);
});

test('a start before the pause is over, or after five ends in a row, breaks the invariant', () => {
  const hasty = createBench();
  hasty.run(10);
  hasty.pass(999);
  hasty.run(10);
  assert.deepEqual(hasty.found, ['bundle-restarted']);
  const stubborn = createBench();
  for (let count = 0; count < 6; count += 1) {
    stubborn.run(10);
    stubborn.pass(300_000);
  }
  assert.deepEqual(stubborn.found, ['bundle-restarted']);
});

test('a stable minute, and a start that somebody asks for, begin a new count', () => {
  const { check, found, run, pass } = createBench();
  for (let count = 0; count < 8; count += 1) {
    run(60_000);
    pass(1000);
  }
  const disallow = check.allow(['pump']);
  run(10);
  disallow();
  run(10);
  assert.deepEqual(found, []);
});
