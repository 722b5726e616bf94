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

test('docs/reference/console.md lists the pages with their keys', () => {
  const page = readFileSync(path.join(ROOT, 'docs/reference/console.md'), 'utf8');
  assert.deepEqual(
    [...page.matchAll(/^\| (\w+) +\| `g (\w)` +\| /gm)].map(([, title, key]) => ({ title, key })),
    PAGES.map(({ title, key }) => ({ title: title.en, key })),
  );
});

test('no two pages have the same name or key', () => {
  assert.equal(new Set(PAGES.map(({ name }) => name)).size, PAGES.length);
  assert.equal(new Set(PAGES.map(({ key }) => key)).size, PAGES.length);
});

test('pages of assets are open to who has a grant or reads all assets, others to who has their permission', () => {
  const isOpen = (
    page: (typeof PAGES)[number],
    hasGrants: boolean,
    ...permissions: readonly string[]
  ): boolean => isOpenTo(page, { hasGrants, may: (permission) => permissions.includes(permission) });
  for (const page of PAGES) {
    const { name, permission } = page;
    const isOfAssets = permission === 'rest.assets.read';
    assert.equal(isOpen(page, false), permission === undefined, name);
    assert.equal(isOpen(page, true), permission === undefined || isOfAssets, name);
    assert.equal(isOpen(page, false, 'rest.assets'), permission === undefined || isOfAssets, name);
    assert.ok(isOpen(page, false, permission ?? ''), name);
  }
  assert.equal(PAGES.filter(({ permission }) => permission === 'rest.assets.read').length, 2);
});
