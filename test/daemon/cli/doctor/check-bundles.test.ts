import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dropExplained, findReported } from '../../../../daemon/cli/doctor/check-bundles.ts';
import type { Finding } from '../../../../daemon/cli/machine-checks.ts';

const CHECKS = [
  { name: 'broker mqtt://a', state: 'OK', detail: 'connected' },
  { name: 'broker mqtt://b', state: 'WARNING', detail: 'it is silent' },
  { name: 'topic plant/x', state: 'ERROR', detail: 'not authorized', remedy: 'correct the access list' },
] as const;

test('doctor shows the checks of bundles with their remedies, or where to look', () => {
  const status = { state: 'ERROR', detail: 'topic refused', checks: [...CHECKS] } as const;
  const findings = findReported([
    { name: 'sender', status },
    { name: 'other', status: { state: 'OK' } },
  ]);
  assert.deepEqual(findings, [
    { check: 'bundle sender', state: 'GOOD', detail: 'broker mqtt://a: connected' },
    {
      check: 'bundle sender',
      state: 'WARNING',
      detail: 'broker mqtt://b: it is silent',
      advice: 'penstock bundle log sender',
    },
    {
      check: 'bundle sender',
      state: 'WRONG',
      detail: 'topic plant/x: not authorized',
      advice: 'correct the access list',
    },
  ]);
});

test('a finding of the gateway about a bundle is dropped if a check of the bundle is as grave', () => {
  const checks = findReported([{ name: 'sender', status: { state: 'ERROR', checks: [...CHECKS] } }]);
  const find = (check: string, state: Finding['state']): Finding => ({ check, state, detail: 'all of it' });
  const own = [find('bundle sender', 'WRONG'), find('bundle other', 'WRONG'), find('disk', 'WRONG')];
  assert.deepEqual(dropExplained(own, checks), own.slice(1));
  const graver = [find('bundle sender', 'WRONG')];
  assert.deepEqual(dropExplained(graver, checks.slice(0, 2)), graver);
});
