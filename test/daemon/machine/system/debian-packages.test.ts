import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { listDebianPackages } from '../../../../daemon/machine/system/debian-packages.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('installed packages are listed by name, and others not', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'status');
  writeFileSync(
    file,
    `Package: zlib1g
Status: install ok installed
Version: 1:1.2.13
Description: library
 Package: of a description

Package: removed
Status: deinstall ok config-files
Version: 1

Package: half
Status: install ok half-installed
Version: 2

Package: adduser
Status: hold ok installed
Version: 3.134`,
  );
  assert.deepEqual(await listDebianPackages(file), [
    { name: 'adduser', version: '3.134' },
    { name: 'zlib1g', version: '1:1.2.13' },
  ]);
});

test('a machine without dpkg has no packages', async (t) => {
  assert.deepEqual(await listDebianPackages(path.join(createTemporaryDirectory(t), 'status')), []);
});
