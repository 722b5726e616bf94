import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { examine, startCertifiedGateway } from '../../support/doctor.ts';

test('doctor names secrets that others can read, and a configuration that others can change', async (t) => {
  const { running, tls } = await startCertifiedGateway(t);
  const authority = path.join(running.directory, 'ca');
  mkdirSync(authority);
  const secrets = [
    tls.privateKeyFile,
    path.join(authority, 'ca.key'),
    path.join(running.dataDirectory, 'audit-key.pem'),
    path.join(running.dataDirectory, 'secrets.key'),
    path.join(running.dataDirectory, 'penstock.db'),
  ];
  writeFileSync(secrets[1] ?? '', 'key');
  assert.deepEqual(
    (await examine(running)).wrong.filter((text) => text.startsWith('file modes')),
    [`file modes: ${secrets[1] ?? ''}: readable by other users of the machine`],
  );
  for (const file of secrets) chmodSync(file, 0o644);
  chmodSync(running.configFile, 0o666);
  const { status, findings } = await examine(running);
  assert.equal(status, 1);
  const found = findings.filter(({ check }) => check === 'file modes');
  assert.deepEqual(
    found.map(({ advice }) => advice?.split(' ').slice(0, 2).join(' ')),
    ['chmod 600', 'chmod o-w'],
  );
  for (const file of secrets.slice(1)) assert.ok(found[0]?.advice?.includes(file), file);
  // The key of the server is one that the daemon reads; it is named once.
  const key = findings.filter(({ detail }) => detail.includes(tls.privateKeyFile));
  assert.equal(key.length, 1);
  const cure = `chmod 600 ${tls.privateKeyFile}`;
  assert.ok(key[0]?.detail.endsWith(cure));
  assert.ok(found[1]?.detail.includes(running.configFile));
  execFileSync('sh', ['-c', [cure, ...found.map(({ advice = '' }) => advice)].join('\n')]);
  assert.deepEqual((await examine(running)).wrong, []);
});

test('doctor names provision files that are not in force, and one that is never read', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const folder = path.join(running.directory, 'provision.d');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'kept.yaml'), 'assets: []\n');
  const reload = async (): Promise<void> => {
    const from = running.lines.length;
    running.process.kill('SIGHUP');
    await running.line('reloaded', from);
  };
  await reload();
  assert.deepEqual((await examine(running)).wrong, []);

  writeFileSync(path.join(folder, 'added.yaml'), 'assets: []\n');
  writeFileSync(path.join(folder, 'other.yml'), 'assets: []\n');
  writeFileSync(path.join(folder, 'README'), 'files of the plant\n');
  writeFileSync(path.join(folder, 'kept.yaml'), 'assets: [] # changed\n');
  const { status, wrong, findings } = await examine(running);
  assert.equal(status, 1);
  assert.deepEqual(
    wrong.map((text) => /^.*?(?= is not read|: (?:added|changed) | since)/.exec(text)?.[0]),
    [
      `files: ${path.join(folder, 'other.yml')}`,
      'configuration provision.d/kept.yaml',
      'configuration provision.d/added.yaml',
    ],
  );
  assert.equal(findings.at(-1)?.advice, 'systemctl reload penstock');

  rmSync(path.join(folder, 'other.yml'));
  await reload();
  assert.deepEqual((await examine(running)).wrong, []);
});

test('doctor ends with a pipe in the place of the last words', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const words = path.join(running.dataDirectory, 'last-words.json');
  rmSync(words);
  execFileSync('mkfifo', ['-m', '600', words]);
  const { wrong } = await examine(running);
  assert.deepEqual(wrong, []);
});

test('doctor names a fault of a file once, also when the reload failed because of it', async (t) => {
  const { running } = await startCertifiedGateway(t);
  const folder = path.join(running.directory, 'provision.d');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'typo.yaml'), 'drivrs: []\n');
  const from = running.lines.length;
  running.process.kill('SIGHUP');
  await running.line('reload.failed', from);
  const { status, wrong } = await examine(running);
  assert.equal(status, 1);
  assert.equal(wrong.length, 1, wrong.join('\n'));
  assert.match(wrong[0] ?? '', /^files: .*typo\.yaml:1: .*; therefore the last reload failed$/s);
});
