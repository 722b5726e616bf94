import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readCorpus } from './corpus.ts';
import { judgeTwice } from './judge.ts';
import { TARGETS } from './targets.ts';

for (const target of TARGETS) {
  test(`${target.name} keeps its promises for the kept inputs`, async () => {
    const inputs = [...target.seeds.map((seed) => Buffer.from(seed)), ...readCorpus(target)];
    assert.ok(inputs.length > 0);
    for (const input of inputs) await judgeTwice(target, input);
  });
}
