import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { isUnit, planSuite, readFileList, ROOT, waitsOutsideOfTests } from './support/suite-plan.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';

const HERE = 'test/suite.test.ts';
const FILES = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => file !== HERE);

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

const LONG = readFileList('test/long-tests.txt');
const OWN_PROCESS = readFileList('test/own-process.txt');

/** What `npm test` tries once for real, though it takes long, and a file that does. */
const REAL_PARTS: Readonly<Record<string, string>> = {
  'the driver modbus on libmodbus and pymodbus': 'test/drivers/modbus/interoperability.test.ts',
  'the driver opcua on asyncua': 'test/drivers/opcua/interoperability.test.ts',
  'the driver serial on a program of another language': 'test/drivers/serial/interoperability.test.ts',
  'a driver of a bundle': 'test/daemon/software/bridge/bundle-bridge.test.ts',
  'the console in Chromium': 'test/console/assets.test.ts',
  'a deployment package': 'test/system/deployment.test.ts',
  'a crash': 'test/system/audit-kill.test.ts',
  'commands of the command line': 'test/system/status.test.ts',
};

test('a test that only root can run says so by test/support/root.ts, by which npm run test:root finds its file', () => {
  const skipping = /skip\b[^\n]*\broot\b|getuid\?\.\(\)[^\n]*\bskip\b/;
  assert.deepEqual(
    FILES.filter((file) => skipping.test(read(file))),
    [],
  );
  const found = FILES.filter((file) => read(file).includes("/support/root.ts'"));
  assert.ok(found.length > 5);
});

test('test/long-tests.txt is sorted, and each of its lines is a file of tests', () => {
  assert.deepEqual(LONG, [...new Set(LONG)].toSorted());
  assert.deepEqual(
    LONG.filter((file) => !FILES.includes(file)),
    [],
  );
});

test('npm test leaves out the files of test/long-tests.txt and no other, npm run test:all leaves out none', () => {
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const all = [...FILES, HERE].toSorted();
  for (const [script, selection, left] of [
    ['test', 'quick', LONG],
    ['test:all', 'all', []],
  ] as const) {
    assert.match(scripts[script] ?? '', new RegExp(` test/suite\\.ts ${selection}$`));
    const { shared, own } = planSuite(selection);
    assert.deepEqual([...shared.flat(), ...own, ...left].toSorted(), all);
  }
});

test('files of units share a process, those that start another or change their own do not', () => {
  const { shared, own } = planSuite('all');
  assert.ok(shared.flat().length > 300);
  assert.ok(shared.every((files) => files.length > 20));
  assert.ok(shared.flat().includes('test/daemon/plant/asset/scaling.test.ts'));
  for (const file of [
    'test/drivers/opcua/browse/browse.test.ts',
    'test/system/status.test.ts',
    ...OWN_PROCESS,
  ]) {
    assert.ok(own.includes(file), file);
  }
});

test('test/own-process.txt is sorted, and each of its lines is a file of tests that would share a process', () => {
  assert.deepEqual(OWN_PROCESS, [...new Set(OWN_PROCESS)].toSorted());
  assert.deepEqual(
    OWN_PROCESS.filter((file) => !FILES.includes(file) || !isUnit(file)),
    [],
  );
});

for (const [checks, tests, status] of [
  [0, 0, 0],
  [1, 0, 1],
  [0, 1, 1],
] as const) {
  test(`npm test ends with ${status} after checks with ${checks} and tests with ${tests}, and shows what was found`, (t) => {
    const directory = createTemporaryDirectory(t);
    const npm = `#!/bin/sh\nif [ "$3" = check ]; then echo a fault; exit ${checks}; fi\necho "$@"\nexit ${tests}\n`;
    writeFileSync(path.join(directory, 'npm'), npm, { mode: 0o700 });
    const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}` };
    const program = path.join(import.meta.dirname, 'suite.ts');
    const ended = spawnSync(process.execPath, [program, 'quick'], { env, encoding: 'utf8' });
    assert.equal(ended.status, status, ended.stderr);
    assert.match(ended.stdout, /^run -s test:files -- build\/tests\/units-1\.mjs .*test\/suite\.test\.ts/m);
    assert.equal(ended.stderr.includes('a fault'), checks !== 0);
  });
}

for (const [part, file] of Object.entries(REAL_PARTS)) {
  test(`npm test tries ${part}`, () => {
    assert.ok(FILES.includes(file), file);
    assert.ok(!LONG.includes(file), file);
  });
}

test('a module that waits, in a loop as well, is told from tests that wait', () => {
  for (const [text, waits] of [
    ["const part = await import('node:path');\n", true],
    ["for (const name of ['node:path']) {\n  const part = (await import(name)) as object;\n}\n", true],
    ["for (const name of ['a']) {\n  test(name, async () => {\n    await work(name);\n  });\n}\n", false],
    ["for (const name of ['a']) use(name);\n\ntest('a', async () => {\n  await work();\n});\n", false],
  ] as const) {
    assert.equal(waitsOutsideOfTests(text), waits, text);
  }
});
