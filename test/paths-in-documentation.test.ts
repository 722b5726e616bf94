import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Pages that lead through the sources, and how many of their files each names at least. */
const PAGES = [
  { page: 'docs/dev/architecture.md', atLeast: 50 },
  { page: 'CONTRIBUTING.md', atLeast: 25 },
] as const;

/** Reads the files and folders of the project that a page names between back quotes. */
function listPaths(page: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  return [...text.matchAll(/`((?:daemon|docs|drivers|packaging|systemd|test)\/[^`\s]+)`/g)].map(
    ([, name = '']) => name,
  );
}

for (const { page, atLeast } of PAGES) {
  test(`every file that ${page} names exists`, () => {
    const paths = listPaths(page);
    assert.ok(paths.length >= atLeast, `${page} names only ${paths.length} files`);
    // NAME stands for the name of an example: test/docs/contributing.test.ts looks for these.
    const files = paths.filter((name) => !name.includes('NAME'));
    assert.deepEqual(
      files.filter((name) => !existsSync(path.join(ROOT, name))),
      [],
    );
  });
}

test('every script that CONTRIBUTING.md names is one of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const text = readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = [...text.matchAll(/`npm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name);
  assert.ok(named.length > 6);
  assert.deepEqual(
    named.filter((name) => !(name in scripts) && name !== 'ci'),
    [],
  );
});
