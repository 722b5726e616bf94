import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createTemporaryDirectory } from './support/temporary-directory.ts';

const PROGRAM = path.join(import.meta.dirname, 'support/shared-process.ts');

const FINE = `test('fine', () => undefined);`;

/** Runs files with these lines in one process, in this order. */
function runTogether(t: TestContext, files: Readonly<Record<string, string>>) {
  const directory = createTemporaryDirectory(t);
  const paths = Object.entries(files).map(([name, lines]) => {
    const file = path.join(directory, `${name}.test.mjs`);
    writeFileSync(file, `import { after, beforeEach, test } from 'node:test';\n${lines}\n`);
    return file;
  });
  const program = path.join(directory, 'program.mjs');
  const call = `runFiles(${JSON.stringify(paths)}, 3000);`;
  writeFileSync(program, `import { runFiles } from ${JSON.stringify(PROGRAM)};\n${call}\n`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const parameters = ['--test', '--test-reporter=tap', program];
  const { stdout, status } = spawnSync(process.execPath, parameters, { env, encoding: 'utf8' });
  const outcomes = [...stdout.matchAll(/^ {0,4}(ok|not ok) \d+ - (?:.*\/)?(.+)$/gm)].map(
    ([, outcome, name]) => `${outcome} ${name}`,
  );
  return { stdout, status, outcomes };
}

test('a file that fails, one that cannot be loaded and one that leaves something behind are named, and the others run', (t) => {
  const { status, outcomes, stdout } = runTogether(t, {
    failing: `test('wrong', () => { throw new Error('wrong'); });\n${FINE}`,
    broken: `import './missing.mjs';\n${FINE}`,
    leaving: `test('sets', () => { process.env.LEFT = 'x'; });`,
    last: FINE,
  });
  assert.equal(status, 1);
  assert.deepEqual(outcomes, [
    'not ok wrong',
    'ok fine',
    'not ok failing.test.mjs',
    'not ok broken.test.mjs is loaded',
    'not ok broken.test.mjs',
    'ok sets',
    'not ok leaving.test.mjs',
    'ok fine',
    'ok last.test.mjs',
  ]);
  assert.match(stdout, /leaving\.test\.mjs leaves the process in another state/);
});

test('a file that never ends is given up, and the others run', (t) => {
  const { status, outcomes } = runTogether(t, {
    waiting: `test('waits', () => new Promise(() => undefined));`,
    last: FINE,
  });
  assert.equal(status, 1);
  assert.deepEqual(outcomes, ['not ok waits', 'not ok waiting.test.mjs', 'ok fine', 'ok last.test.mjs']);
});

test('hooks of a file are for its own tests', (t) => {
  const { status, stdout } = runTogether(t, {
    first: `beforeEach(() => { throw new Error('hook'); });\nafter(() => console.log('first ends'));`,
    second: `test('other', () => console.log('other'));`,
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /first ends[^]*other/);
});

test('a file that ends the process does not hide that others did not run', (t) => {
  const { status, stdout } = runTogether(t, {
    ending: `test('ends', () => process.exit(0));`,
    never: FINE,
  });
  assert.equal(status, 1);
  assert.match(stdout, /only 0 of 2 files of tests were run to their end/);
});
