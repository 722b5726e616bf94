import assert from 'node:assert/strict';
import { test } from 'node:test';

import { transition } from '../../../../daemon/software/bundle/bundle-state.ts';
import type { BundleOccurrence } from '../../../../daemon/software/bundle/bundle-state.ts';
import type { BundleState } from '../../../../daemon/interface/software/bundle.ts';

function follow(from: BundleState, occurrences: readonly BundleOccurrence[]): readonly string[] {
  let state = from;
  return occurrences.map((occurrence) => {
    const next = transition(state, occurrence);
    state = next.state;
    return `${next.state} ${next.effect}`;
  });
}

test('a bundle is started, becomes active and is stopped', () => {
  assert.deepEqual(follow('INSTALLED', ['START', 'ACTIVATED', 'STOP', 'ENDED']), [
    'STARTING SPAWN',
    'ACTIVE NONE',
    'STOPPING TERMINATE',
    'INSTALLED NONE',
  ]);
});

test('a bundle that exits unexpectedly is FAILED, and STARTING again after its pause', () => {
  assert.deepEqual(follow('ACTIVE', ['ENDED', 'PAUSED', 'ENDED']), [
    'FAILED PLAN_RESTART',
    'STARTING SPAWN',
    'FAILED PLAN_RESTART',
  ]);
});

test('a bundle that is stopped to be started again is never FAILED', () => {
  assert.deepEqual(follow('ACTIVE', ['STOP', 'ENDED_FOR_RESTART', 'ACTIVATED']), [
    'STOPPING TERMINATE',
    'STARTING SPAWN',
    'ACTIVE NONE',
  ]);
});

test('a stop while a restart is planned cancels the restart', () => {
  assert.deepEqual(follow('FAILED', ['STOP', 'PAUSED']), ['INSTALLED CANCEL_RESTART', 'INSTALLED NONE']);
});

test('a bundle without a main module is never started', () => {
  assert.deepEqual(follow('RESOLVED', ['START', 'STOP']), ['RESOLVED NONE', 'RESOLVED NONE']);
});

test('an activation after the stop does not change the state to ACTIVE', () => {
  assert.deepEqual(follow('STOPPING', ['ACTIVATED', 'START', 'ENDED']), [
    'STOPPING NONE',
    'STOPPING NONE',
    'INSTALLED NONE',
  ]);
});
