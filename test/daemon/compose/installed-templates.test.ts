import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { InstalledTemplates } from '../../../daemon/compose/installed-templates.ts';
import { startAdmin } from '../deployment/admin-fixture.ts';

test('the templates of a package are found while it is installed, and no other resources', async (t) => {
  const { admin, install, uninstall } = await startAdmin(t);
  const templates = new InstalledTemplates();
  assert.deepEqual(templates.listFiles(), []);
  templates.follow(admin);
  await install({
    symbolicName: 'demo',
    resources: {
      'templates/meter.yaml': 'name: meter',
      'templates/readme.txt': 'no template',
      'templates/deeper/other.yaml': 'name: other',
      'conf/meter.yaml': 'name: settings',
    },
  });
  assert.deepEqual(
    templates.listFiles().map((file) => readFileSync(file, 'utf8')),
    ['name: meter'],
  );
  await uninstall('demo');
  assert.deepEqual(templates.listFiles(), []);
});
