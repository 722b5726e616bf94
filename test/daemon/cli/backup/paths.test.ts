import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { toArchivedFolders } from '../../../../daemon/cli/backup/paths.ts';
import { findServiceAccount } from '../../../../daemon/cli/backup/existing-gateway.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const PLACES = { configuration: '/configuration', data: '/data', bundles: '/bundles' } as const;

function listFolders(hasUnits: boolean): readonly string[] {
  return toArchivedFolders(PLACES, hasUnits).changing.map(({ directory, start = '' }) =>
    path.join(directory, start),
  );
}

test('a backup has what units of bundles store when its gateway is the one of the service, and not otherwise', () => {
  assert.deepEqual(listFolders(true), ['/data/packages/data', '/bundles']);
  assert.deepEqual(listFolders(false), ['/data/packages/data']);
});

test('findServiceAccount finds the account of the package by its whole name', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'passwd');
  writeFileSync(file, 'root:x:0:0:root:/root:/bin/bash\npenstock2:x:7:8::/:/bin/sh\n');
  assert.equal(findServiceAccount(file), undefined);
  writeFileSync(file, 'root:x:0:0:root:/root:/bin/bash\npenstock:x:998:997::/:/usr/sbin/nologin\n');
  assert.deepEqual(findServiceAccount(file), { uid: 998, gid: 997 });
});
