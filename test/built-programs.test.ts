import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { digestSources, findProgram } from './support/programs.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const COPIED = ['package.json', 'package-lock.json', 'tsconfig.json', 'packaging', 'test/support'];

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
