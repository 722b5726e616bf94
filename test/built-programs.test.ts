import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { digestSources, findProgram } from './support/programs.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const COPIED = ['package.json', 'package-lock.json', 'tsconfig.json', 'packaging', 'test/support'];

const STATIC_IMPORT = /(?:import|from)"(\.[^"]+\.js)"/g;
const LIBRARY = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/;
// An idle gateway keeps all of them in memory. What only a request, a driver or a command needs is loaded with it.
const LIBRARIES = [
  'debug',
  'depd',
  'has-flag',
  'helmet',
  'is-promise',
  'ms',
  'parseurl',
  'path-to-regexp',
  'router',
  'supports-color',
  'systemd-notify',
  'yaml',
  'zod',
];
const ROOMS_OF_OTHERS = /\/daemon\/(?:cli|simulator|console)\//;

/** Lists the sources of a built program and of the files that are loaded with it. */
function listSources(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = [...readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)];
  const files = imports.map(([, name = '']) => path.resolve(path.dirname(file), name));
  // The runtime of the bundler has no sources.
  const { sources } = existsSync(`${file}.map`)
    ? (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] })
    : { sources: [] };
  const own = sources.map((source) => path.resolve(path.dirname(file), source));
  return [...own, ...files.flatMap((each) => listSources(each, seen))];
}

test('an idle gateway loads no code of commands, and no library that is not on the list', () => {
  const sources = listSources(findProgram('daemon/main'));
  assert.ok(sources.length > 500);
  assert.deepEqual(
    sources.filter((source) => ROOMS_OF_OTHERS.test(source)),
    [],
  );
  const libraries = new Set(sources.flatMap((source) => LIBRARY.exec(source)?.[1] ?? []));
  assert.deepEqual([...libraries].toSorted(), LIBRARIES);
});

test('the built command runs', () => {
  const output = execFileSync(process.execPath, [findProgram('daemon/cli/main'), '--version'], {
    encoding: 'utf8',
  });
  assert.match(output, /^penstock \d/);
});

test('a change of anything that goes into the programs has them built again, a change of the console does not', (t) => {
  const root = createTemporaryDirectory(t);
  const at = (name: string): string => path.join(root, name);
  for (const name of COPIED) cpSync(path.join(ROOT, name), at(name), { recursive: true });
  for (const folder of ['daemon/console', 'daemon/base', 'drivers'])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('daemon/main.ts'), 'one');
  const changes: readonly (() => void)[] = [
    () => writeFileSync(at('daemon/main.ts'), 'two'),
    () => writeFileSync(at('daemon/base/new.ts'), ''),
    () => renameSync(at('daemon/base/new.ts'), at('drivers/new.ts')),
    () => rmSync(at('drivers/new.ts')),
    () => writeFileSync(at('package-lock.json'), '{}'),
    () => writeFileSync(at('packaging/bundle-programs.ts'), ''),
  ];
  const digests = changes.map((change) => {
    const before = digestSources(root);
    assert.equal(digestSources(root), before);
    change();
    return before;
  });
  const before = digestSources(root);
  // Once the sources are as they were before.
  assert.equal(new Set([...digests, before]).size, changes.length);
  writeFileSync(at('daemon/console/page.tsx'), '');
  assert.equal(digestSources(root), before);
});
