import assert from 'node:assert/strict';
import { test } from 'node:test';

import { runWorld } from './world.ts';

// What one thread begins first ends first.
process.env['UV_THREADPOOL_SIZE'] = '1';

test('everything holds in a calm world, and less happens in it than in a usual one', async () => {
  // A leap day begins in the middle of it.
  const startEpochMs = Date.parse('2028-02-28T18:00:00Z');
  const calm = await runWorld({ seed: 'calm', hours: 12, pace: 'calm', startEpochMs });
  assert.equal(calm.broken, undefined);
  const usual = await runWorld({ seed: 'calm', hours: 12, untilMs: 1 });
  // Three lively hours, and nine with a sixtieth of what is usual.
  const expected = (usual.faults.length * 3.15) / 12;
  assert.ok(Math.abs(calm.faults.length - expected) < expected / 3, `${calm.faults.length} faults`);
});
