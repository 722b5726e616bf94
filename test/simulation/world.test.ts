import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { runSeparateWorld, runSeparateWorlds } from './separate-world.ts';
import { INVARIANTS } from './world/invariants.ts';

const HOURS = 4;

for (const seed of ['first', 'second']) {
  test(`everything holds in a simulated world, seed ${seed}`, () => {
    const { broken, people, faults } = runSeparateWorld({ seed, hours: HOURS });
    assert.equal(broken, undefined);
    assert.equal(people.length > 20, true);
    assert.equal(faults.length > 20, true);
  });
}

test('the same seed is the same world, to the byte, and another one is not', () => {
  const runs = runSeparateWorlds(['same', 'same', 'other'].map((seed) => ({ seed, hours: 1 })));
  const [first, second, other] = runs.map(({ digest }) => digest);
  assert.equal(first, second);
  assert.notEqual(first, other);
});

test('a scenario with a list of participants has no others', () => {
  const only = ['reader-1', 'asset:server-1'];
  const { people, faults, cast } = runSeparateWorld({ seed: 'alone', hours: 2, only });
  assert.deepEqual([people, faults, cast], [['reader-1'], [], only]);
});

test('docs/dev/reliability.md has every invariant, and no other', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/dev/reliability.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, name, text]) => [name, text]);
  assert.deepEqual(Object.fromEntries(rows), INVARIANTS);
});
