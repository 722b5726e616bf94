import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  refuseForeign,
  refuseExisting,
  translateDaemon,
} from '../../../../daemon/cli/backup/existing-gateway.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

function createPaths(t: Owner) {
  const folder = createTemporaryDirectory(t);
  const paths = {
    configuration: path.join(folder, 'configuration'),
    data: path.join(folder, 'data'),
    bundles: path.join(folder, 'bundles'),
  };
  for (const name of ['provision.d', 'tls']) {
    mkdirSync(path.join(paths.configuration, name), { recursive: true });
  }
  mkdirSync(paths.data);
  return paths;
}

test('refuseExisting lets a new installation be replaced', async (t) => {
  const paths = createPaths(t);
  await refuseExisting(paths);
  for (const name of ['penstock.db', 'initial-admin-password'])
    writeFileSync(path.join(paths.data, name), '');
  await refuseExisting(paths);
});

test('refuseExisting refuses a store whose first password was changed', async (t) => {
  const paths = createPaths(t);
  writeFileSync(path.join(paths.data, 'penstock.db'), '');
  await assert.rejects(refuseExisting(paths), { code: 'GATEWAY_PRESENT' });
});

for (const name of ['tls/server.key', 'provision.d/line.yaml']) {
  test(`refuseExisting refuses a configuration with ${name}`, async (t) => {
    const paths = createPaths(t);
    writeFileSync(path.join(paths.configuration, name), '');
    await assert.rejects(refuseExisting(paths), { code: 'GATEWAY_PRESENT' });
  });
}

test('refuseForeign refuses a folder of other files, and takes an empty one, none, or that of a gateway', async (t) => {
  const { data } = createPaths(t);
  await refuseForeign(data, 'penstock.db');
  await refuseForeign(path.join(data, 'none'), 'penstock.db');
  writeFileSync(path.join(data, 'photos'), '');
  await assert.rejects(refuseForeign(data, 'penstock.db'), { code: 'FOLDER_FOREIGN' });
  writeFileSync(path.join(data, 'penstock.db'), '');
  await refuseForeign(data, 'penstock.db');
});

test('translateDaemon gives files of the daemon to the daemon of this machine, and all others to who restores', async (t) => {
  const { data } = createPaths(t);
  const { uid, gid } = statSync(data);
  const toOwner = await translateDaemon({ uid: 4321, gid: 8765 }, data);
  assert.deepEqual(toOwner(4321, 8765), { uid, gid });
  const own = { uid: process.geteuid?.(), gid: process.getegid?.() };
  assert.deepEqual(toOwner(0, 8765), { uid: own.uid, gid });
  assert.deepEqual(toOwner(4322, 4321), own);
});

test('translateDaemon leaves the files of root when the daemon ran as root', async (t) => {
  const { data } = createPaths(t);
  const toOwner = await translateDaemon({ uid: 0, gid: 0 }, data);
  assert.deepEqual(toOwner(0, 0), { uid: process.geteuid?.(), gid: process.getegid?.() });
});
