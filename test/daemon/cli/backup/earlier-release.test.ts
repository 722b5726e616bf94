import assert from 'node:assert/strict';
import { readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { WITH_ROOT } from '../../../support/root.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { runCommand } from '../command.ts';

// Written before the program used libraries for the archive and its encryption: names of other characters, long names and large
// numbers of owners are in records, numbers end with zeros, and the encryption is that of the runtime.
const EARLIER = path.join(import.meta.dirname, 'earlier-release.age');

// Its files belong to several owners.
test('a backup that the program wrote by its own means is restored', WITH_ROOT, async (t) => {
  const folder = createTemporaryDirectory(t);
  const passphrase = path.join(createTemporaryDirectory(t), 'passphrase');
  writeFileSync(passphrase, 'an earlier passphrase\n');
  const config = path.join(folder, 'configuration/penstock.yaml');
  const restored = await runCommand(t, [
    'restore',
    EARLIER,
    '--config',
    config,
    '--password-file',
    passphrase,
  ]);
  assert.equal(restored.status, 0, restored.errors);
  const at = (name: string): string => path.join(folder, name);
  assert.equal(readFileSync(config, 'utf8'), 'dataDirectory: ../data\n');
  assert.equal(statSync(config).mode & 0o777, 0o640);
  assert.equal(statSync(config).mtimeMs, 1_700_000_000_000);
  assert.equal(readFileSync(at('configuration/provision.d/Wärme.yaml'), 'utf8'), 'drivers: []\n');
  assert.equal(readlinkSync(at('configuration/provision.d/link.yaml')), 'Wärme.yaml');
  assert.equal(readFileSync(at(`data/packages/data/${'long-'.repeat(40)}`), 'utf8'), 'stored');
  assert.equal(statSync(at('data/packages/data/empty')).size, 0);
});
