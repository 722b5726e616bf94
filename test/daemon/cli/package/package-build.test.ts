import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { startGateway } from '../../../support/gateway.ts';
import { buildPackage, listPackageParts } from '../../../support/package-builder.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import { runCommand } from '../command.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../../docs/examples/level-watch');

test('a package from package build passes package inspect and is installed', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'watch.dp');
  const build = ['package', 'build', EXAMPLE, '--name', 'com.example.watch', '--version', '2.0.1'];
  const built = await runCommand(t, [...build, '--output', file]);
  assert.deepEqual([built.status, built.output, built.errors], [0, `${file}\n`, '']);

  const inspected = await runCommand(t, ['package', 'inspect', file]);
  assert.match(inspected.output, /^Package: +com\.example\.watch 2\.0\.1\n/);
  assert.match(inspected.output, /^Signature: +none$/m);
  assert.match(inspected.output, /^org\.example\.level-watch +1\.0\.0 +main\.mjs/m);

  const gateway = await startGateway(t);
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const installed = await runCommand(t, ['package', 'install', file, '--socket', socket]);
  assert.deepEqual([installed.status, installed.output], [0, 'com.example.watch 2.0.1 installed\n']);
});

test('package build writes nothing that a gateway would refuse', async (t) => {
  const folder = createTemporaryDirectory(t);
  const file = path.join(folder, 'a.dp');
  const resources = path.join(folder, 'resources');
  const build = (...words: readonly string[]) =>
    runCommand(t, [
      'package',
      'build',
      ...words,
      '--name',
      'com.example.a',
      '--version',
      '1',
      '--output',
      file,
    ]);
  const missing = await build(EXAMPLE, '--resources', resources);
  assert.match(missing.errors, /resources cannot be read/);
  const noBundle = await build(folder);
  assert.match(noBundle.errors, /no META-INF\/MANIFEST\.MF/);
  writeFileSync(path.join(folder, 'a name'), '');
  const badName = await build(EXAMPLE, '--resources', folder);
  assert.match(badName.errors, /the name "a name" of an entry is not allowed/);
  assert.deepEqual(
    [missing, noBundle, badName].map(({ status }) => status),
    [1, 1, 1],
  );
  assert.equal(existsSync(file), false);
  assert.equal((await runCommand(t, ['package', 'build', EXAMPLE, '--name', 'a'])).status, 2);
});

test('package inspect shows the permissions of each bundle, and whom its providers may name', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'keys.dp');
  const keys = {
    symbolicName: 'com.example.keys',
    main: 'export function activate() {}',
    permissions: 'authentication, credentials',
    identities: 'any',
  };
  writeFileSync(file, buildPackage({ symbolicName: 'com.example.locks', bundles: [keys] }));
  const { output } = await runCommand(t, ['package', 'inspect', file]);
  assert.match(output, /^com\.example\.keys .* authentication, credentials, identities: any$/m);
});

test('package inspect reports everything for which a gateway would refuse a package', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'a.dp');
  const content = buildPackage({ symbolicName: 'com.example.a', resources: { 'conf/a.json': '{"a": 1}' } });
  writeFileSync(file, content);
  const { output } = await runCommand(t, ['package', 'inspect', file, '--json']);
  assert.deepEqual((JSON.parse(output) as { readonly resources: unknown }).resources, [
    { path: 'conf/a.json', isMissing: false },
  ]);
  writeFileSync(file, Buffer.concat([content, Buffer.from('more')]));
  const refused = await runCommand(t, ['package', 'inspect', file]);
  assert.deepEqual([refused.status, refused.output], [1, '']);
  assert.match(refused.errors, /a\.dp would be refused:\n  404 the archive cannot be installed/);
  const [manifest, ...parts] = listPackageParts({
    symbolicName: 'com.example.a',
    bundles: [{ symbolicName: 'com.example.b', headers: { 'Bundle-Version': '2.0.0' } }],
    resources: { a: 'a', b: 'b' },
  });
  const [bundle, first, second] = parts;
  assert.ok(manifest && bundle && first && second);
  const damaged = { ...second, local: { crc32: 1 }, central: { crc32: 1 } };
  writeFileSync(file, buildZip([manifest, first, bundle, damaged]));
  const { errors } = await runCommand(t, ['package', 'inspect', file]);
  assert.deepEqual(errors.match(/^ {2}\d+ /gm), ['  450 ', '  404 ', '  457 '], errors);
  assert.match((await runCommand(t, ['package', 'inspect', `${file}.none`])).errors, /cannot be read/);
});
