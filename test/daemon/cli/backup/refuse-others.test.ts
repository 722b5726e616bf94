import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { runCommand } from '../command.ts';

const BACKUP = path.join(import.meta.dirname, 'earlier-release.age');

/** A machine on which a gateway was set up: its configuration lies in `configuration`, its state in `data`. */
function createMachine(t: Owner) {
  const folder = createTemporaryDirectory(t);
  const at = (...names: readonly string[]): string => path.join(folder, ...names);
  mkdirSync(at('configuration/provision.d'), { recursive: true });
  mkdirSync(at('configuration/tls'));
  writeFileSync(at('configuration/penstock.yaml'), 'dataDirectory: ../data\n');
  writeFileSync(at('configuration/penstock.yaml.dpkg-dist'), '# as it was shipped\n');
  writeFileSync(at('configuration/provision.d/later.yaml'), 'drivers: []\n');
  mkdirSync(at('data/packages'), { recursive: true });
  writeFileSync(at('data/penstock.db'), 'the store of now');
  writeFileSync(at('data/audit-head'), '');
  const restore = async () => {
    const passphrase = path.join(createTemporaryDirectory(t), 'passphrase');
    writeFileSync(passphrase, 'an earlier passphrase\n');
    const config = at('configuration/penstock.yaml');
    return runCommand(t, ['restore', BACKUP, '--replace', '--config', config, '--password-file', passphrase]);
  };
  return { folder, at, restore };
}

function listAll(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
}

test('restore --replace replaces the files of a gateway', async (t) => {
  const { at, restore } = createMachine(t);
  const { status, errors } = await restore();
  assert.equal(status, 0, errors);
  assert.ok(existsSync(at('configuration/provision.d/Wärme.yaml')));
  assert.ok(!existsSync(at('configuration/provision.d/later.yaml')));
  assert.notEqual(readFileSync(at('data/penstock.db'), 'latin1'), 'the store of now');
});

test('restore --replace replaces whatever the daemon keeps in its private directory', async (t) => {
  const { at, restore } = createMachine(t);
  chmodSync(at('data'), 0o700);
  writeFileSync(at('data/of-a-later-release.json'), '{}');
  const { status, errors } = await restore();
  assert.equal(status, 0, errors);
  assert.ok(!existsSync(at('data/of-a-later-release.json')));
});

for (const [part, what, make] of [
  [
    'configuration',
    'files',
    (place: string) => writeFileSync(path.join(place, 'hosts'), '127.0.0.1 localhost'),
  ],
  ['configuration', 'folders', (place: string) => mkdirSync(path.join(place, 'ssh'))],
  ['configuration', 'links', (place: string) => symlinkSync('penstock.yaml', path.join(place, 'link'))],
  ['data', 'files', (place: string) => writeFileSync(path.join(place, 'dpkg-status'), 'Package: base')],
] as const) {
  test(`restore --replace refuses a ${part} folder with other ${what}, and changes nothing`, async (t) => {
    const { folder, at, restore } = createMachine(t);
    make(at(part));
    const before = listAll(folder);
    const { status, errors } = await restore();
    assert.equal(status, 1);
    assert.match(errors, /nothing was changed: .* contains files that are not of a gateway/);
    assert.ok(errors.includes(at(part)), errors);
    assert.deepEqual(listAll(folder), before);
    assert.equal(readFileSync(at('data/penstock.db'), 'utf8'), 'the store of now');
  });
}
