import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  refuseForeign,
  refusePresent,
  translateDaemon,
} from '../../../../daemon/cli/backup/present-gateway.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

function createPlaces(t: Owner) {
  const folder = createTemporaryDirectory(t);
  const places = {
    configuration: path.join(folder, 'configuration'),
    data: path.join(folder, 'data'),
    bundles: path.join(folder, 'bundles'),
  };
  for (const name of ['provision.d', 'tls']) {
    mkdirSync(path.join(places.configuration, name), { recursive: true });
  }
  mkdirSync(places.data);
  return places;
}

test('refusePresent lets a new installation be replaced', async (t) => {
  const places = createPlaces(t);
  await refusePresent(places);
  for (const name of ['penstock.db', 'initial-admin-password'])
    writeFileSync(path.join(places.data, name), '');
  await refusePresent(places);
});

test('refusePresent refuses a store whose first password was changed', async (t) => {
  const places = createPlaces(t);
  writeFileSync(path.join(places.data, 'penstock.db'), '');
  await assert.rejects(refusePresent(places), { code: 'GATEWAY_PRESENT' });
});

for (const name of ['tls/server.key', 'provision.d/line.yaml']) {
  test(`refusePresent refuses a configuration with ${name}`, async (t) => {
    const places = createPlaces(t);
    writeFileSync(path.join(places.configuration, name), '');
    await assert.rejects(refusePresent(places), { code: 'GATEWAY_PRESENT' });
  });
}

test('refuseForeign refuses a folder of other files, and takes an empty one, none, or that of a gateway', async (t) => {
  const { data } = createPlaces(t);
  await refuseForeign(data, 'penstock.db');
  await refuseForeign(path.join(data, 'none'), 'penstock.db');
  writeFileSync(path.join(data, 'photos'), '');
  await assert.rejects(refuseForeign(data, 'penstock.db'), { code: 'FOLDER_FOREIGN' });
  writeFileSync(path.join(data, 'penstock.db'), '');
  await refuseForeign(data, 'penstock.db');
});

test('translateDaemon gives files of the daemon to the daemon of this machine, and all others to who restores', async (t) => {
  const { data } = createPlaces(t);
  const { uid, gid } = statSync(data);
  const toOwner = await translateDaemon({ uid: 4321, gid: 8765 }, data);
  assert.deepEqual(toOwner(4321, 8765), { uid, gid });
  const own = { uid: process.geteuid?.(), gid: process.getegid?.() };
  assert.deepEqual(toOwner(0, 8765), { uid: own.uid, gid });
  assert.deepEqual(toOwner(4322, 4321), own);
});

test('translateDaemon leaves the files of root when the daemon ran as root', async (t) => {
  const { data } = createPlaces(t);
  const toOwner = await translateDaemon({ uid: 0, gid: 0 }, data);
  assert.deepEqual(toOwner(0, 0), { uid: process.geteuid?.(), gid: process.getegid?.() });
});
