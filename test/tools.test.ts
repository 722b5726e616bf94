import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { summarizeMissing } from './support/missing-tools-reporter.ts';
import { MAKE_ENVIRONMENT } from './support/python-environment.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';
import {
  describeMissing,
  joinCommands,
  listPackages,
  listTools,
  parseMissing,
  programsOf,
} from './support/tools.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const HERE = 'test/tools.test.ts';
const TABLE: ReadonlySet<string> = new Set(['test/support/tools.ts', 'test/support/python-environment.ts']);

/** npm, which starts the tests, and programs of packages that every Debian has: apt, bash, bsdutils, coreutils, dash, diffutils, dpkg, e2fsprogs, findutils, mount, perl-base, util-linux. */
const ON_EVERY_DEBIAN: ReadonlySet<string> = new Set([
  'rm',
  'chattr',
  'apt-get',
  'bash',
  'choom',
  'chown',
  'chroot',
  'cp',
  'cmp',
  'dpkg-deb',
  'env',
  'find',
  'flock',
  'id',
  'mkfifo',
  'mknod',
  'mount',
  'nice',
  'npm',
  'nsenter',
  'perl',
  'script',
  'setpriv',
  'sh',
  'stty',
  'sync',
  'tar',
  'taskset',
  'true',
  'unshare',
]);

/** Files that run where a package is built, and only there. */
const WHERE_PACKAGES_ARE_BUILT: ReadonlySet<string> = new Set([
  'apt-ftparchive',
  'git',
  'gpg',
  'gpgconf',
  'xz',
]);

/** Files that run where the package is installed, and what is there. */
const WHERE_INSTALLED: ReadonlySet<string> = new Set(['journalctl', 'penstock', 'systemctl', 'timedatectl']);
const RUN_WHERE_INSTALLED = /^(?:daemon\/cli\/doctor\/service-status\.ts$|test\/support\/attempts\/unit-)/;

const files = ['daemon', 'drivers', 'packaging', 'test'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => file.endsWith('.ts') && file !== HERE && !TABLE.has(file)),
);

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Lists the programs that a text starts by a name that stands in it: as a parameter, or first in a list of words. */
function listStarted(text: string): readonly string[] {
  if (!/'(?:node:child_process|[./]+\/packaging\/run\.ts)'/.test(text)) return [];
  const calls =
    /(?<![.\w])(?:spawn|spawnSync|execFile|execFileSync|execute|run|runFile|promisify\(execFile\))\(\s*['"`]([^'"`]*)['"`],\s*\[/g;
  const known = new Set(programsOf(listTools()));
  const words = [
    ...text.replaceAll(/(?:describeMissing\(|TOOLS = )\[[^\]]*\]/g, '').matchAll(/\[\s*'([\w./-]+)',/g),
  ]
    .map(([, word = '']) => word)
    .filter((word) => known.has(word) || word.startsWith('/usr/bin/'));
  return [...[...text.matchAll(calls)].map(([, program = '']) => program), ...words];
}

test('code that starts a program which a Debian may lack asks the table of tools for it', () => {
  const strange = files.flatMap((file) =>
    listStarted(read(file))
      .filter((program) => !ON_EVERY_DEBIAN.has(program.replace(/^(?:\/usr)?\/bin\//, '')))
      .filter(
        (program) => !WHERE_PACKAGES_ARE_BUILT.has(program) || !/^(?:packaging|test\/machine)\//.test(file),
      )
      .filter((program) => !WHERE_INSTALLED.has(program) || !RUN_WHERE_INSTALLED.test(file))
      .map((program) => `${file}: ${program}`),
  );
  assert.deepEqual(strange, []);
});

test('no test names the path of a program', () => {
  const strange = files.filter((file) => /['"`]\/usr\/(?:local\/)?s?bin\/\w/.test(read(file)));
  assert.deepEqual(
    strange.filter((file) => file.startsWith('test/') && !file.startsWith('test/machine/')),
    [],
  );
});

test('a test that types a tool into a shell is skipped where it is missing', () => {
  for (const file of files.filter((each) => each.endsWith('.test.ts'))) {
    const text = read(file);
    for (const tool of listTools()) {
      if (!new RegExp(`\\bsh', \\[[^]*['"\`]${tool} -`).test(text)) continue;
      assert.match(text, new RegExp(`(?:needs|testsThatNeed)\\([^)]*'${tool}'`), `${file}: ${tool}`);
    }
  }
});

test('code that starts a program without the table of tools is found', () => {
  const child = `import { spawn } from 'node:child_process';\n`;
  assert.deepEqual(listStarted(`${child}spawn('ip', ['link']);`), ['ip']);
  assert.deepEqual(listStarted(`${child}promisify(execFile)('git', [\n'log']);`), ['git']);
  assert.deepEqual(listStarted(`${child}const words = ['curl', '-s'];`), ['curl']);
  assert.deepEqual(listStarted(`${child}spawn(programOf('curl'), ['-s']);`), []);
});

test('describeMissing names the tools that are missing, and only the packages that bring them', (t) => {
  const folder = createTemporaryDirectory(t);
  const program = path.join(folder, 'curl');
  assert.equal(describeMissing(['curl', 'socat'], folder), 'curl, socat missing: apt-get install curl socat');
  writeFileSync(program, '');
  chmodSync(program, 0o755);
  assert.equal(describeMissing(['curl', 'socat'], folder), 'socat missing: apt-get install socat');
  assert.equal(describeMissing(['curl'], folder), undefined);
});

test('parseMissing reads the output of describeMissing, and nothing else', () => {
  const install = 'apt-get install curl python3-venv';
  assert.deepEqual(parseMissing('curl, socat missing: apt-get install curl socat'), ['curl', 'socat']);
  assert.deepEqual(parseMissing('asyncua missing: npm run test:python'), [MAKE_ENVIRONMENT]);
  assert.deepEqual(parseMissing(`curl, asyncua missing: ${install} && npm run test:python`), [
    'curl',
    'python3-venv',
    MAKE_ENVIRONMENT,
  ]);
  assert.deepEqual(parseMissing('only root may become another user'), []);
});

test('joinCommands names each package once, then the command that makes the environment', () => {
  assert.equal(
    joinCommands(['socat', MAKE_ENVIRONMENT, 'curl', 'socat', MAKE_ENVIRONMENT]),
    'apt-get install curl socat && npm run test:python',
  );
  assert.equal(joinCommands([MAKE_ENVIRONMENT]), 'npm run test:python');
});

test('summarizeMissing counts the tests that lack a tool and joins their packages in one command', () => {
  const reasons = [
    'socat missing: apt-get install socat',
    'only root may become another user',
    'curl, socat missing: apt-get install curl socat',
    'asyncua missing: npm run test:python',
  ];
  assert.equal(
    summarizeMissing(reasons),
    '\n3 tests were skipped for want of tools. To run them as well:\n  apt-get install curl socat && npm run test:python\n',
  );
  assert.equal(summarizeMissing(['only root may become another user']), '');
});

test('CONTRIBUTING.md names the Debian packages of all tools, and .ci/run installs those of the tests', () => {
  const packagesOf = (page: string): ReadonlySet<string> => new Set(read(page).match(/[a-z][\w.+-]+/g));
  const [named, installed] = [packagesOf('CONTRIBUTING.md'), packagesOf('.ci/run')];
  for (const name of listPackages(listTools())) assert.ok(named.has(name), name);
  const texts = files.filter((file) => file.endsWith('.test.ts')).map(read);
  const used = listTools().filter((tool) =>
    texts.some((text) => new RegExp(`(?:needs|testsThatNeed)\\([^)]*'${tool}'`).test(text)),
  );
  assert.ok(used.length > 5);
  for (const name of listPackages(used)) assert.ok(installed.has(name), name);
});
