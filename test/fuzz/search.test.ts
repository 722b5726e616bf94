import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseManifest } from '../../daemon/software/package/manifest.ts';
import { DeploymentError } from '../../daemon/software/package/deployment-error.ts';
import { attempt } from './fuzz-target.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { FuzzFinding, judge, shrink } from './judge.ts';
import { search } from './search.ts';

// A promise that manifests break that are whole: nothing of it is among the seeds.
const planted: FuzzTarget = {
  name: 'planted',
  seeds: [],
  words: ['a: ', 'Name: ', '\n'],
  run(input) {
    const read = attempt([DeploymentError], () => parseManifest(input));
    if ('value' in read && read.value.main.size > 0 && read.value.sections.length > 0)
      throw new Error('planted');
    return '';
  },
};

test('a search comes from nothing to an input that breaks a promise, which is then made shorter', async () => {
  const found = await search(planted, 'seed', 60).catch((error: unknown) => error);
  assert.ok(found instanceof FuzzFinding);
  assert.equal(found.message, 'Error: planted');
  const { input } = await shrink(planted, found);
  await assert.rejects(judge(planted, input), FuzzFinding);
  // One header, an empty line and the name of a section are the least.
  assert.ok(input.length <= 14, JSON.stringify(input.toString('latin1')));
});

test('attempt lets through what is not documented, and what the runtime throws', () => {
  assert.deepEqual(
    attempt([RangeError], () => 1),
    { value: 1 },
  );
  assert.deepEqual(
    attempt([RangeError], () => {
      throw new RangeError('documented');
    }),
    { refusal: 'RangeError' },
  );
  assert.throws(() => attempt([RangeError], () => Buffer.alloc(1).readUInt16BE(0)), RangeError);
  assert.throws(() => attempt([RangeError], () => JSON.parse('{') as unknown), SyntaxError);
});
