import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { listInstalledResources } from '../../../../daemon/software/deployment/installed-resources.ts';
import { startAdmin } from './admin-fixture.ts';

test('the resources of packages are listed while they are installed, whether or not anything runs', async (t) => {
  const { packagesDirectory, install, uninstall, close } = await startAdmin(t);
  assert.deepEqual(await listInstalledResources(packagesDirectory), []);
  await install({ symbolicName: 'demo', resources: { 'templates/meter.yaml': 'name: meter' } });
  const list = async () =>
    (await listInstalledResources(packagesDirectory)).map((resource) => [
      resource.path,
      readFileSync(resource.file, 'utf8'),
    ]);
  assert.deepEqual(await list(), [['templates/meter.yaml', 'name: meter']]);
  await uninstall('demo');
  assert.deepEqual(await list(), []);
  await install({ symbolicName: 'demo', resources: { 'a.txt': 'a' } });
  await close();
  assert.deepEqual(await list(), [['a.txt', 'a']]);
});

test('no resources are listed where no package was ever installed', async (t) => {
  const { packagesDirectory } = await startAdmin(t);
  assert.deepEqual(await listInstalledResources(path.join(packagesDirectory, 'missing')), []);
});
