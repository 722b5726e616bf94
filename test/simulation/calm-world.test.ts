import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runSeparateWorld } from './separate-world.ts';

test('everything holds in a calm world, and less happens in it than in a usual one', () => {
  // A leap day begins in the middle of it.
  const startEpochMs = Date.parse('2028-02-28T18:00:00Z');
  const scenario = { seed: 'calm', hours: 12 } as const;
  const calm = runSeparateWorld({ ...scenario, pace: 'calm', startEpochMs });
  assert.equal(calm.broken, undefined);
  const usual = runSeparateWorld({ ...scenario, untilMs: 1 });
  // Three lively hours, and nine with a sixtieth of what is usual.
  const expected = (usual.faults.length * 3.15) / 12;
  assert.ok(Math.abs(calm.faults.length - expected) < expected / 3, `${calm.faults.length} faults`);
});
