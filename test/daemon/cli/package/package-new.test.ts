import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startGateway } from '../../../support/gateway.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { runCommand } from '../command.ts';

const execute = promisify(execFile);
const NAME = 'com.example.sender';

async function createSender(t: Owner): Promise<string> {
  const directory = path.join(createTemporaryDirectory(t), 'sender');
  const made = await runCommand(t, ['package', 'new', NAME, '--output', directory]);
  assert.deepEqual([made.status, made.output], [0, `${directory}\n`], made.errors);
  return directory;
}

test('the test of a new bundle passes', async (t) => {
  const directory = await createSender(t);
  // Node.js runs no tests within a test otherwise.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const { stdout } = await execute(process.execPath, ['--test'], { cwd: directory, env });
  assert.match(stdout, /^ℹ pass 2$/m);
  assert.match(stdout, /^ℹ fail 0$/m);
});

test('a directory that exists, or a name that is none, is refused', async (t) => {
  const directory = await createSender(t);
  const again = await runCommand(t, ['package', 'new', NAME, '--output', directory]);
  assert.match(again.errors, /already exists/);
  assert.notEqual(again.status, 0);
  const wrong = await runCommand(t, ['package', 'new', '../sender']);
  assert.match(wrong.errors, /expected a symbolic name/);
});

test('a new bundle is installed, waits for its settings, is configured and starts', async (t) => {
  const directory = await createSender(t);
  const file = path.join(directory, '../sender.dp');
  const gateway = await startGateway(t);
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const run = async (...words: readonly string[]): Promise<string> => {
    const { status, output, errors } = await runCommand(t, [...words, '--socket', socket]);
    assert.equal(status, 0, errors);
    return output;
  };
  const build = ['package', 'build', directory, '--name', NAME, '--version', '1.0.0', '--output', file];
  const built = await runCommand(t, build);
  assert.equal(built.status, 0, built.errors);
  await run('package', 'install', file);
  assert.match(await run('bundle', 'list'), /INSTALLED.*waits for its settings: url: /);
  assert.match(await run('bundle', 'configure', NAME), /^ {4}recorder TEXT/m);
  await run('bundle', 'configure', NAME, '--set', 'url=http://127.0.0.1:9/samples');
  // Nothing is recorded, which the bundle reports.
  let listed = '';
  while (!listed.includes('recorder "minute" is not configured')) {
    await wait(100);
    listed = await run('bundle', 'list');
  }
  assert.match(listed, /ACTIVE +WARNING/);
  assert.match(await run('config', 'get', 'bundles'), /url: http:\/\/127\.0\.0\.1:9\/samples/);
  await run('package', 'remove', NAME);
  const plan = await run('config', 'get', 'bundles');
  assert.match(plan, new RegExp(NAME.replaceAll('.', String.raw`\.`)));
});
