import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { isOpenTo, PAGES } from '../../daemon/console/views/pages.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('every page has its view, and every view its page', () => {
  const folder = path.join(ROOT, 'daemon/console/views');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^[\w-]+\/[\w-]+-page\.tsx$/.test(file),
  );
  assert.deepEqual(files.toSorted(), PAGES.map(({ name }) => `${name}/${name}-page.tsx`).toSorted());
  for (const file of files) {
    const names = [...readFileSync(path.join(folder, file), 'utf8').matchAll(/^export .*$/gm)];
    assert.equal(names.length, 1, file);
  }
});

test('docs/console.md lists the pages with their keys', () => {
  const page = readFileSync(path.join(ROOT, 'docs/console.md'), 'utf8');
  assert.deepEqual(
    [...page.matchAll(/^\| (\w+) +\| `g (\w)` +\| /gm)].map(([, title, key]) => ({ title, key })),
    PAGES.map(({ title, key }) => ({ title: title.en, key })),
  );
});

test('no two pages have the same name or key', () => {
  assert.equal(new Set(PAGES.map(({ name }) => name)).size, PAGES.length);
  assert.equal(new Set(PAGES.map(({ key }) => key)).size, PAGES.length);
});

test('pages of assets are open to who has a grant or a permission of assets, others to who has their permission', () => {
  const listOpen = (hasGrants: boolean, ...permissions: readonly string[]): readonly string[] =>
    PAGES.filter((page) =>
      isOpenTo(page, { hasGrants, may: (permission) => permissions.includes(permission) }),
    ).map(({ name }) => name);
  assert.deepEqual(listOpen(false), ['overview', 'access']);
  assert.deepEqual(listOpen(true), ['overview', 'assets', 'trends', 'access']);
  assert.deepEqual(listOpen(false, 'rest.assets'), ['overview', 'assets', 'trends', 'access']);
  assert.deepEqual(listOpen(false, 'rest.configuration'), [
    'overview',
    'commission',
    'configuration',
    'access',
  ]);
  assert.deepEqual(listOpen(false, 'rest.deploy'), ['overview', 'access', 'software']);
  assert.deepEqual(listOpen(false, 'rest.events'), ['overview', 'access', 'record']);
});
