import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { composeTemplates } from '../../../daemon/compose/templates.ts';
import { YamlReader } from '../../../daemon/settings/yaml-reader.ts';
import { startAdmin } from '../software/deployment/admin-fixture.ts';
import { METER } from '../plant/template/template-fixture.ts';

test('templates of a package can be used while it is installed, behind those of the operator', async (t) => {
  const { directory, install, uninstall } = await startAdmin(t);
  const library = composeTemplates({ dataDirectory: directory, yaml: new YamlReader() });
  await install({
    symbolicName: 'demo',
    resources: {
      'templates/example-meter.yaml': JSON.stringify({ ...METER, title: 'of the package' }),
      'templates/readme.txt': 'no template',
      'templates/deeper/other.yaml': JSON.stringify({ ...METER, name: 'other' }),
      'conf/settings.yaml': JSON.stringify({ ...METER, name: 'settings' }),
    },
  });
  assert.equal((await library.get('example-meter')).template.title, 'of the package');
  const { templates, unusable } = await library.list();
  const names = new Set(templates.map(({ name }) => name));
  assert.deepEqual([names.has('other'), names.has('settings'), unusable], [false, false, []]);

  mkdirSync(path.join(directory, 'templates'));
  const own = path.join(directory, 'templates/example-meter.yaml');
  writeFileSync(own, JSON.stringify({ ...METER, title: 'of the operator' }));
  assert.equal((await library.get('example-meter')).template.title, 'of the operator');

  writeFileSync(
    own.replace('example-meter', 'eastron-sdm630'),
    JSON.stringify({ ...METER, name: 'eastron-sdm630' }),
  );
  assert.equal((await library.get('eastron-sdm630')).template.title, METER.title);
  await uninstall('demo');
  assert.equal((await library.list()).templates.filter(({ name }) => name === 'example-meter').length, 1);
});
