import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';

/** Files that read something else than an answer of a declared endpoint as JSON, with the number of casts. */
const ALLOWED: Readonly<Record<string, number>> = {
  // The description of the interface has a schema of its own standard.
  'test/system/description.test.ts': 3,
  // Members that no schema names are what is tested.
  'test/system/kura-requests.test.ts': 1,
  // One function shows the answers of all routes.
  'test/system/grants-table.test.ts': 2,
};

test('tests of the system read answers by the declarations of their endpoints, without casts', () => {
  const found = new Map<string, number>();
  for (const file of globSync('test/system/**/*.ts')) {
    const casts = readFileSync(file, 'utf8').match(/\bjson as\b/g)?.length ?? 0;
    if (casts > 0) found.set(file, casts);
  }
  assert.deepEqual(Object.fromEntries(found), ALLOWED);
});
