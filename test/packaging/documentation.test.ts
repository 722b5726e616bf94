import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { createDriverFactories } from '../../drivers/index.ts';
import { layPages } from '../../packaging/documentation.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

let folder = '';
let pages: readonly string[] = [];

before(async (t) => {
  folder = createTemporaryDirectory(t as never);
  await layPages(ROOT, folder);
  pages = globSync('**/*.md', { cwd: folder });
});

function read(page: string): string {
  return readFileSync(path.join(folder, page), 'utf8');
}

test('every link of a page in the package leads to a file of the package', () => {
  assert.ok(pages.length > 20);
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => ({
      page,
      target,
    })),
  );
  assert.ok(links.length > 80);
  assert.deepEqual(
    links.filter(({ page, target }) => !existsSync(path.join(folder, path.dirname(page), target))),
    [],
  );
});

test('the examples in the package can be read by everybody', () => {
  for (const name of ['line-meter', 'api-key', 'level-watch']) {
    const file = path.join(folder, 'examples', name, 'main.mjs');
    assert.equal(statSync(file).mode & 0o777, 0o644);
    assert.ok(existsSync(path.join(folder, 'examples', name, 'META-INF/MANIFEST.MF')));
  }
});

test('no page in the package tells to use the tools of the sources', () => {
  const told = pages.flatMap((page) =>
    read(page)
      .split('\n')
      .filter((line) => /\bnpm\b|\bnpx\b|\bcheckout\b/.test(line))
      .map((line) => `${page}: ${line}`),
  );
  assert.deepEqual(told, []);
});

test('the map leads to every page, and every driver has a page', () => {
  const index = read('README.md');
  for (const page of pages.filter((name) => name !== 'README.md'))
    assert.ok(index.includes(`](${page})`), page);
  for (const { type } of createDriverFactories()) {
    assert.ok(index.includes(`](reference/${type}.md)`), type);
    assert.ok(read('reference/configuration.md').includes(`\`${type}\``), type);
  }
});
