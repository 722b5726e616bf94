import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shrink } from './shrink.ts';
import type { Scenario } from './scenario.ts';

const scenario: Scenario = { seed: '1', hours: 24 };
const cast = Array.from({ length: 40 }, (_, index) => `fault${index}`);

/** A world that breaks when these two take part. */
function runWorld({ only = cast, untilMs = Infinity }: Scenario) {
  const breaks = only.includes('fault7') && only.includes('fault31') && untilMs >= 5000;
  const broken = breaks ? { invariant: 'true-value', atMs: 5000 } : undefined;
  return Promise.resolve({ broken, cast: [...only] });
}

test('shrink leaves what a failure needs, and nothing else', async () => {
  const first = await runWorld(scenario);
  const small = await shrink({ scenario, first, run: runWorld, budget: 200 });
  assert.deepEqual(small.only, ['fault7', 'fault31']);
  assert.equal(small.untilMs, 5001);
});

test('shrink does not mistake another failure for the same', async () => {
  const run = ({ only = cast }: Scenario) => {
    const invariant = only.length === cast.length ? 'true-value' : 'recovery';
    return Promise.resolve({ broken: { invariant, atMs: 1 }, cast });
  };
  const small = await shrink({ scenario, first: await run(scenario), run, budget: 50 });
  assert.equal(small.only, undefined);
});

test('shrink stops when its budget is spent', async () => {
  let runs = 0;
  const run = (tried: Scenario) => {
    runs += 1;
    return runWorld(tried);
  };
  await shrink({ scenario, first: await runWorld(scenario), run, budget: 5 });
  assert.equal(runs, 5);
});
