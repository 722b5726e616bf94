import assert from 'node:assert/strict';
import { cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import type { UnpackedPackage } from '../../../../daemon/software/package/unpack-package.ts';
import { inspectPackage } from '../../../../daemon/software/package/package-inspection.ts';
import { makePackage } from '../../../../daemon/software/package/package-maker.ts';
import type { PackageRecipe } from '../../../../daemon/software/package/package-maker.ts';
import { FIRST_TIME } from '../../../../daemon/software/package/archive/zip-time.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../../docs/examples');
const RECIPE: PackageRecipe = {
  symbolicName: 'com.example.plant',
  version: '1.2',
  bundleFolders: [],
  keptBundles: [],
  modified: FIRST_TIME,
};

function inspect(t: Owner, content: Uint8Array): Promise<UnpackedPackage> {
  const file = path.join(createTemporaryDirectory(t), 'a.dp');
  writeFileSync(file, content);
  const { signal } = new AbortController();
  return inspectPackage({ file, trustedCertificates: [], clock: systemClock, signal });
}

function put(folder: string, name: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}

test('makePackage builds one package of bundles and resources that a gateway accepts', async (t) => {
  const resourceFolder = createTemporaryDirectory(t);
  put(resourceFolder, 'conf/pump.json', '{}');
  put(resourceFolder, 'a.txt', '');
  const bundleFolders = ['line-meter', 'level-watch', 'api-key'].map((name) => path.join(EXAMPLES, name));
  const content = await makePackage({
    ...RECIPE,
    bundleFolders,
    resourceFolder,
    requiredStorageBytes: '4096',
  });
  const { contents, bundles } = await inspect(t, content);
  assert.deepEqual(
    [contents.symbolicName, contents.version, contents.requiredStorageBytes, contents.fixPack],
    ['com.example.plant', '1.2.0', 4096, undefined],
  );
  assert.deepEqual(
    bundles.map(({ main }) => main),
    ['main.mjs', 'main.mjs', 'main.mjs'],
  );
  assert.deepEqual(
    contents.resources.map((resource) => resource.path),
    ['a.txt', 'conf/pump.json'],
  );
});

test('makePackage returns the same bytes for the same content, whenever the files were written', async (t) => {
  const folder = path.join(createTemporaryDirectory(t), 'copy');
  cpSync(path.join(EXAMPLES, 'level-watch'), folder, { recursive: true });
  utimesSync(path.join(folder, 'main.mjs'), 1e9, 1e9);
  const original = await makePackage({ ...RECIPE, bundleFolders: [path.join(EXAMPLES, 'level-watch')] });
  assert.ok(original.equals(await makePackage({ ...RECIPE, bundleFolders: [folder] })));
});

test('makePackage builds a fix package that names the bundles it keeps', async (t) => {
  const keptBundles = [{ symbolicName: 'com.example.other', version: '1.0.0' }];
  const bundleFolders = [path.join(EXAMPLES, 'api-key')];
  const { contents } = await inspect(
    t,
    await makePackage({ ...RECIPE, fixPack: '[1.0,2.0)', bundleFolders, keptBundles }),
  );
  assert.equal(contents.fixPack, '[1.0,2.0)');
  assert.deepEqual(
    contents.bundles.map(({ isMissing }) => isMissing),
    [false, true],
  );
  await assert.rejects(makePackage({ ...RECIPE, bundleFolders, keptBundles }), {
    code: 'PACKAGE_BAD_HEADER',
  });
});

test('makePackage refuses names, versions, ranges and sizes that a gateway would refuse', async () => {
  const wrong: readonly (readonly [code: string, change: Partial<PackageRecipe>])[] = [
    ['PACKAGE_BAD_HEADER', { symbolicName: 'a name' }],
    ['HEADER_INVALID', { symbolicName: 'a\r\nBundle-Version: 1' }],
    ['PACKAGE_BAD_HEADER', { version: 'v1' }],
    ['PACKAGE_BAD_HEADER', { version: '1.2147483648' }],
    ['PACKAGE_BAD_HEADER', { fixPack: '[2,1' }],
    ['PACKAGE_BAD_HEADER', { fixPack: '[1,2147483648)' }],
    ['PACKAGE_BAD_HEADER', { requiredStorageBytes: '-1' }],
    [
      'PACKAGE_BAD_HEADER',
      { bundleFolders: ['api-key', 'api-key'].map((name) => path.join(EXAMPLES, name)) },
    ],
  ];
  for (const [code, change] of wrong) {
    await assert.rejects(makePackage({ ...RECIPE, ...change }), { code }, JSON.stringify(change));
  }
});

test('a version with a part beyond 2147483647 is named in the refusal', async () => {
  await assert.rejects(makePackage({ ...RECIPE, version: '3.2147483648.1' }), {
    detail: /DeploymentPackage-Version.*2147483647.*"3\.2147483648\.1"/,
  });
});

test('makePackage refuses folders without a manifest, with links, and missing folders', async (t) => {
  const folder = createTemporaryDirectory(t);
  put(folder, 'main.mjs', '');
  const make = () => makePackage({ ...RECIPE, bundleFolders: [folder] });
  await assert.rejects(make(), { code: 'BUNDLE_MANIFEST_MISSING' });
  put(folder, 'META-INF/MANIFEST.MF', 'Bundle-SymbolicName: com.example.pump\n');
  await assert.rejects(make(), { code: 'PACKAGE_MISSING_HEADER' });
  symlinkSync('/etc/hostname', path.join(folder, 'link'));
  await assert.rejects(make(), { code: 'FOLDER_UNSUITABLE' });
  await assert.rejects(makePackage({ ...RECIPE, bundleFolders: [path.join(folder, 'none')] }), {
    code: 'FOLDER_UNREADABLE',
  });
});
