import assert from 'node:assert/strict';
import { test } from 'node:test';

import { generatePages } from '../support/tables/pages.ts';

for (const { page, current, expected } of await generatePages()) {
  test(`the generated tables of ${page} are those of the code`, () => {
    const [lines, wanted] = [current.split('\n'), expected.split('\n')];
    const at = wanted.findIndex((line, index) => line !== lines[index]);
    assert.equal(lines[at], wanted[at], `${page}:${at + 1}: run "npm run tables"`);
    assert.equal(lines.length, wanted.length, `${page}: run "npm run tables"`);
  });
}
