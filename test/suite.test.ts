import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '..');
const HERE = 'test/suite.test.ts';
const FILES = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => file !== HERE);

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('a test that only root can run says so by test/support/root.ts, by which npm run test:root finds its file', () => {
  const skipping = /skip\b[^\n]*\broot\b|getuid\?\.\(\)[^\n]*\bskip\b/;
  assert.deepEqual(
    FILES.filter((file) => skipping.test(read(file))),
    [],
  );
  const found = FILES.filter((file) => read(file).includes("/support/root.ts'"));
  assert.ok(found.length > 5);
});
