import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { listNeededFiles } from './imported-files.ts';

function writeFiles(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = createTemporaryDirectory(t);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

test('imports are followed, those of types are not', (t) => {
  const root = writeFiles(t, {
    'a/one.ts': `import { two } from '../b/two.ts';\nimport type { Three } from './three.ts';\nimport path from 'node:path';\n`,
    'a/three.ts': '',
    'b/two.ts': `export { four } from './four.ts';\nconst late = () => import('./five.ts');\n`,
    'b/four.ts': `import {\n  one,\n} from '../a/one.ts';\n`,
    'b/five.ts': '',
  });
  assert.deepEqual(listNeededFiles('a/one.ts', root), ['a/one.ts', 'b/five.ts', 'b/four.ts', 'b/two.ts']);
});

test('a program next to a file that names it is needed, and what it imports', (t) => {
  const root = writeFiles(t, {
    'load.ts': `startRemote(t, 'load-process.ts'); compile('server.c'); read('absent.ts');`,
    'load-process.ts': `import { open } from './connection.ts';`,
    'connection.ts': '',
    'server.c': '',
  });
  assert.deepEqual(listNeededFiles('load.ts', root), [
    'connection.ts',
    'load-process.ts',
    'load.ts',
    'server.c',
  ]);
});
