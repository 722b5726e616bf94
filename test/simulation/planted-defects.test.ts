import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { PLANTED_DEFECTS } from './defects/planted-defects.ts';

const root = path.resolve(import.meta.dirname, '../..');

test('every planted defect changes text that its file has exactly once', () => {
  const wrong = PLANTED_DEFECTS.filter(({ file, search, replace }) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return search === replace || text.split(search).length !== 2;
  });
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test('planted defects have names of their own', () => {
  const names = PLANTED_DEFECTS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
