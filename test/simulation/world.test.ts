import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { INVARIANTS } from './world/invariants.ts';
import { runWorld } from './world.ts';

// What one thread begins first ends first.
process.env['UV_THREADPOOL_SIZE'] = '1';

const HOURS = 4;

for (const seed of ['first', 'second']) {
  test(`everything holds in a simulated world, seed ${seed}`, async () => {
    const { broken, people, faults } = await runWorld({ seed, hours: HOURS });
    assert.equal(broken, undefined);
    assert.equal(people.length > 20, true);
    assert.equal(faults.length > 20, true);
  });
}

test('the same seed is the same world, to the byte, and another one is not', async () => {
  const digests: string[] = [];
  for (const seed of ['same', 'same', 'other']) digests.push((await runWorld({ seed, hours: 1 })).digest);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test('a world takes part with those who are named, and nobody else', async () => {
  const only = ['reader-1', 'asset:server-1'];
  const { people, faults, cast } = await runWorld({ seed: 'alone', hours: 2, only });
  assert.deepEqual([people, faults, cast], [['reader-1'], [], only]);
});

test('docs/dev/reliability.md has every invariant, and no other', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/dev/reliability.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| (.+?) +\|$/gm)].map(([, name, text]) => [name, text]);
  assert.deepEqual(Object.fromEntries(rows), INVARIANTS);
});
