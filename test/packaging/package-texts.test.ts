import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { check } from '../../daemon/base/schema.ts';
import { gatewaySettingsSchema } from '../../daemon/settings/gateway-settings.ts';
import { parseYaml } from '../../daemon/settings/yaml-document.ts';
import { ARCHITECTURES } from '../../packaging/architecture.ts';
import { writeControl, writeDebianChangelog } from '../../packaging/debian-texts.ts';
import { listSettings, writeExampleConfiguration } from '../../packaging/example-configuration.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { programOf } from '../support/tools.ts';
import { needs } from '../support/tests-that-need.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('the example configuration explains every key, changes nothing, and is valid when it is uncommented', () => {
  const text = writeExampleConfiguration();
  for (const { path: key, node } of listSettings()) {
    assert.ok(text.includes(`${key.split('.').at(-1) ?? ''}:`), key);
    assert.ok(text.includes(node.description ?? 'undocumented'), key);
  }
  const switchedOn = text.replaceAll(/^#(?=\S|  +\w+:)/gm, '').replace(/^provision:$/m, '');
  const { value } = parseYaml(Buffer.from(switchedOn));
  const settings = check(gatewaySettingsSchema, value).value;
  assert.deepEqual(settings, check(gatewaySettingsSchema, {}).value);
});

test('dpkg can read the change log of the package', needs('dpkg-parsechangelog'), (t) => {
  const file = path.join(createTemporaryDirectory(t), 'changelog');
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  writeFileSync(file, writeDebianChangelog(changelog, { version: '0.1.0', epochSeconds: 1_790_000_000 }));
  const parsed = execFileSync(programOf('dpkg-parsechangelog'), ['-l', file, '--show-field', 'Version'], {
    encoding: 'utf8',
  });
  assert.equal(parsed, '0.1.0\n');
  const lines = readFileSync(file, 'utf8').split('\n');
  const tooLong = lines.filter((line) => line.length > 80 && !line.startsWith(' -- '));
  assert.deepEqual(tooLong, []);
});

test('the control file names the package, its architecture and its dependencies', () => {
  for (const [name, architecture] of Object.entries(ARCHITECTURES)) {
    const text = writeControl({ architecture, version: '0.1.0', installedKib: 1 });
    assert.match(text, new RegExp(`^Architecture: ${name}$`, 'm'));
    assert.match(text, /^Depends: .*libc6.*systemd/m);
  }
});

test('the scripts of the package refuse an unknown argument', () => {
  for (const name of ['postinst', 'prerm', 'postrm']) {
    const script = path.join(ROOT, 'packaging/debian', name);
    assert.throws(
      () => execFileSync('sh', [script, 'nonsense'], { stdio: 'pipe' }),
      /unknown argument nonsense/,
    );
  }
});
