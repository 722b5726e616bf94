import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { getCertificateAuthority } from '../../../support/certificate-authority.ts';
import { startGateway } from '../../../support/gateway.ts';
import { buildPackage } from '../../../support/package-builder.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { runCommand } from '../command.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    authorities: { type: 'array', items: { type: 'string', maxLength: 4096 } },
    servers: { type: 'array', items: { type: 'string' } },
    note: { type: 'string' },
    key: { type: 'string', writeOnly: true },
  },
};
const SENDER = {
  symbolicName: 'com.example.sender',
  main: `export function activate({ settings, status }) {
    const show = ({ authorities = [] }) =>
      status({ state: 'WARNING', detail: authorities.length + ' authorities', counters: { sent: 3, pauseMs: 500, lastSentMs: 1764000000000 } });
    show(settings.current);
    settings.onChange((changed) => {
      if (changed.note === 'bad') throw new Error('note: it is bad');
      show(changed);
    });
  }`,
  files: { 'settings.json': JSON.stringify(SCHEMA) },
  headers: { 'Penstock-Settings': 'settings.json' },
};

test('settings of a bundle come from files, and what it reports is below the list', async (t) => {
  const directory = createTemporaryDirectory(t);
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(path.join(directory, name), content);
    return path.join(directory, name);
  };
  const gateway = await startGateway(t);
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const penstock = (...words: readonly string[]) => runCommand(t, [...words, '--socket', socket]);
  const configure = (...words: readonly string[]) =>
    penstock('bundle', 'configure', 'com.example.sender', ...words);
  const packaged = buildPackage({ symbolicName: 'com.example.senders', bundles: [SENDER] });
  const installed = await penstock('package', 'install', put('senders.dp', packaged));
  assert.equal(installed.status, 0, installed.errors);
  const [one, two] = await Promise.all([getCertificateAuthority(), getCertificateAuthority('Another')]);
  const pem = put('both.pem', `a comment\n${one.certificate}\n${two.certificate}`);

  await t.test('a list has the PEM texts of a file, or its lines; a text has all of it', async () => {
    const servers = put('servers.txt', 'one.example\n\ntwo.example\n');
    const note = put('note.txt', 'first line\nsecond line\n');
    const set = ['--set', `authorities=@${pem}`, '--set', `servers=@${servers}`, '--set', `note=@${note}`];
    const { status, errors } = await configure(...set);
    assert.equal(status, 0, errors);
    assert.match(errors, /"penstock bundle list" shows what the bundle reports/);
    const { settings } = JSON.parse((await configure('--json')).output) as { readonly settings: object };
    assert.deepEqual(settings, {
      authorities: [one.certificate, two.certificate].map((text) => `${text.trim()}\n`),
      servers: ['one.example', 'two.example'],
      note: 'first line\nsecond line',
    });
  });

  await t.test('what is set is listed in short lines', async () => {
    const { output } = await configure();
    assert.match(output, /^ {4}authorities LIST/m);
    assert.match(output, /^ {4}authorities: \(PEM: certificate, \d+ characters\), \(PEM: certificate/m);
    assert.match(output, /^ {4}servers: one\.example, two\.example$/m);
  });

  await t.test('the report of the bundle has lines of its own', async () => {
    let listed = '';
    while (!listed.includes('2 authorities')) listed = (await penstock('bundle', 'list')).output;
    assert.match(listed, /ACTIVE +WARNING/);
    assert.match(
      listed,
      /^com\.example\.sender: WARNING 2 authorities\n {2}sent=3 pauseMs=500 lastSentMs=2025-11-2\dT\d\d:\d\d:\d\d$/m,
    );
  });

  await t.test('settings that the bundle refuses are a failure, until it accepts others', async () => {
    const refused = await configure('--set', 'note=bad');
    assert.equal(refused.status, 1);
    assert.match(
      refused.errors,
      /the bundle refuses the settings: note: it is bad; they are saved, and the bundle does not use them/,
    );
    assert.equal((await configure('--set', 'note=bad', '--dry-run')).status, 0);
    assert.equal((await configure('--set', 'note=good')).status, 0);
  });

  await t.test('a file that is missing, and a setting that is unknown, are named', async () => {
    const missing = await configure('--set', 'authorities=@/nowhere.pem');
    assert.deepEqual([missing.status, missing.errors.includes('/nowhere.pem cannot be read')], [1, true]);
    const unknown = await configure('--set', 'servrs=a');
    assert.match(unknown.errors, /unknown setting servrs; did you mean "servers"\?/);
    const wrong = await configure('--set', 'servers=[');
    assert.match(wrong.errors, /--set servers "\["/);
  });
});
