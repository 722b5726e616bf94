import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRandom } from '../support/random.ts';
import { listLooks, measureUntilDecided } from './rounds.ts';
import type { Line } from './scenario.ts';
import { leastOfGroups } from './statistics.ts';
import { judge } from './verdict.ts';

const LIMITS = { atLeast: 8, atMost: 40 };
const FULL = { pace: 'full' } as const;

function describe({ own }: { readonly own: readonly number[] }): readonly Line[] {
  return [{ name: 'own', value: '', rounds: own, isProcessorTime: true, unit: '×', gate: { atMost: 2 } }];
}

/** Measures figures around a middle, with the spread of a sum of random numbers. */
async function measure(middle: number, spread: number, random: () => number): Promise<Line> {
  const own = (): Promise<number> =>
    Promise.resolve(middle + spread * (random() + random() + random() - 1.5));
  const [line] = await measureUntilDecided(FULL, LIMITS, { own }, describe);
  if (line === undefined) throw new Error('no line');
  return line;
}

test('figures are judged after half as many more rounds each time', () => {
  assert.deepEqual(listLooks(LIMITS), [8, 12, 18, 27, 40]);
  assert.deepEqual(listLooks({ atLeast: 8, atMost: 8 }), [8]);
  assert.deepEqual(listLooks({ atLeast: 8, atMost: 9 }), [8, 9]);
});

test('a quiet figure takes the fewest rounds, one near its gate all of them', async () => {
  const random = createRandom(3);
  assert.equal((await measure(1.5, 0.1, random)).rounds.length, 8);
  assert.equal((await measure(3, 0.1, random)).rounds.length, 8);
  assert.equal((await measure(2, 0.1, random)).rounds.length, 40);
  const between = (await measure(1.7, 1.2, random)).rounds.length;
  assert.ok(between > 8, `${between} rounds`);
});

test('a quick run has four rounds', async () => {
  let rounds = 0;
  const own = (): Promise<number> => Promise.resolve((rounds += 1));
  await measureUntilDecided({ pace: 'quick' }, LIMITS, { own }, describe);
  assert.equal(rounds, 4);
});

for (const [what, middle, wrongVerdict] of [
  ['a defect', 2.01, 'gate'],
  ['a figure within its gate', 1.99, 'DEFECT'],
] as const)
  test(`several looks take the wrong side of the gate seldom: ${what}`, async () => {
    const random = createRandom(5);
    const trials = 400;
    let wrong = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      // By less than the rounds can show.
      const line = await measure(middle, 0.5, random);
      if (judge(line, { all: 0, stolen: 0 }).verdict === wrongVerdict) wrong += 1;
    }
    assert.ok(wrong / trials < 0.05, `${wrong} of ${trials}`);
  });

test('the least of each group leaves out what is too little for a group', () => {
  assert.deepEqual(leastOfGroups([3, 1, 2, 5, 4, 6, 9], 3), [1, 4]);
  assert.deepEqual(leastOfGroups([3, 1], 3), []);
});
