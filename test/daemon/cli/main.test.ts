import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { runCommand } from './command.ts';

test('--help lists the commands, --version prints the version of the package', async (t) => {
  const help = await runCommand(t, ['--help']);
  assert.equal(help.status, 0);
  assert.match(help.output, /^ {2}simulate .*\n {2}demo /m);
  const file = path.resolve(import.meta.dirname, '../../../package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  assert.deepEqual(await runCommand(t, ['--version']), {
    status: 0,
    output: `penstock ${version}\n`,
    errors: '',
  });
});

test('every command describes itself with --help', async (t) => {
  for (const name of ['demo', 'simulate']) {
    const { status, output } = await runCommand(t, [name, '--help']);
    assert.deepEqual([status, output.startsWith(`Usage: penstock ${name}`)], [0, true]);
  }
});

for (const { parameters, named } of [
  { parameters: [], named: 'command missing' },
  { parameters: ['frobnicate'], named: 'frobnicate' },
  { parameters: ['--frobnicate'], named: '--frobnicate' },
  { parameters: ['simulate', '--prot', '502'], named: '--prot' },
  { parameters: ['simulate', '--port'], named: '--port' },
  { parameters: ['simulate', '--port', '65536'], named: '65536' },
  { parameters: ['simulate', '--port=-1'], named: '-1' },
  { parameters: ['simulate', 'boiler'], named: 'boiler' },
  { parameters: ['demo', '--quiet'], named: '--quiet' },
]) {
  test(`"penstock ${parameters.join(' ')}" is wrong usage: status 2, the error, and the usage`, async (t) => {
    const { status, output, errors } = await runCommand(t, parameters);
    assert.deepEqual([status, output], [2, '']);
    assert.ok(errors.includes(named), errors);
    assert.match(errors, /^Usage: penstock /m);
  });
}

for (const [words, hint] of [
  [['statsu'], /unknown command "statsu"; did you mean "status"\?/],
  [['read', 'boiler'], /unknown command "read"; did you mean "asset read", "history read"\?/],
  [['asset', 'raed'], /unknown subcommand "raed"; did you mean "read"\?/],
  [['--sockt', '/x', 'status'], /unknown option --sockt; did you mean "--socket"\?/],
  [['asset', '--sockt', '/x', 'list'], /unknown option --sockt; did you mean "--socket"\?/],
  [['--socket'], /--socket: PATH is missing/],
  [['asset', '--socket'], /--socket: PATH is missing/],
  [['--json'], /command missing/],
] as const) {
  test(`"penstock ${words.join(' ')}" is wrong usage, and what was meant is named`, async (t) => {
    const { status, errors } = await runCommand(t, words);
    assert.equal(status, 2);
    assert.match(errors, hint);
  });
}

test('connection options are accepted before the command and before the subcommand', async (t) => {
  for (const words of [
    ['--socket', '/nowhere', 'asset', 'list'],
    ['--json', '--socket=/nowhere', 'status'],
    ['asset', '--socket', '/nowhere', 'list'],
  ]) {
    const { status, errors } = await runCommand(t, words);
    assert.equal(status, 3, errors);
    assert.match(errors, /no response from \/nowhere/);
  }
});

test('help accepts any option next to the command and the subcommand', async (t) => {
  const { output } = await runCommand(t, ['help', 'asset', 'read']);
  for (const words of [
    ['help', 'asset', 'read', '--json'],
    ['help', '--no-colour', 'asset', '--url', 'https://gateway:4443', 'read', '--days', '5'],
    ['--no-colour', 'help', 'asset', 'read', '--help'],
    ['asset', '--socket', '/nowhere', 'read', '--help'],
  ]) {
    assert.deepEqual(await runCommand(t, words), { status: 0, output, errors: '' }, words.join(' '));
  }
});
