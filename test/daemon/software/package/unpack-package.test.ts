import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { DEPLOYMENT_CODES } from '../../../../daemon/software/package/deployment-error.ts';
import type { DeploymentReason } from '../../../../daemon/software/package/deployment-error.ts';
import { unpackPackage } from '../../../../daemon/software/package/unpack-package.ts';
import type { UnpackedPackage } from '../../../../daemon/software/package/unpack-package.ts';
import { writeSection } from '../../../../daemon/software/package/manifest-writer.ts';
import { buildBundle, buildPackage, listPackageParts } from '../../../support/package-builder.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { buildZip } from '../../../support/zip-builder.ts';
import type { ZipPart } from '../../../support/zip-builder.ts';

const pump = { symbolicName: 'com.example.pump', main: 'export {};\n', permissions: 'net' };
const java = { symbolicName: 'org.example.java', files: { 'org/example/Outer$Inner.class': 'class' } };
const ROOT_BUNDLE = { symbolicName: 'demo.bundle', main: 'export {};\n' };
const demo = { symbolicName: 'demo', bundles: [pump, java], resources: { 'conf/settings.xml': '<a/>' } };

const SETTINGS = { type: 'object', properties: { url: { type: 'string' } } };

function withSettings(schema: unknown, words?: string): Buffer {
  const content = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const headers = {
    'Penstock-Settings': 'settings.json',
    'Penstock-Memory': '256',
    'Penstock-Interface': '2',
  };
  const files = { 'settings.json': content, ...(words === undefined ? {} : { 'settings.de.json': words }) };
  return buildBundle({ ...pump, files, headers });
}

interface Unpacked {
  readonly target: string;
  readonly unpacked: UnpackedPackage;
}

async function unpack(t: TestContext, bytes: Uint8Array): Promise<Unpacked> {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'a.dp');
  const target = path.join(directory, 'target');
  writeFileSync(file, bytes);
  mkdirSync(target);
  const unpacked = await unpackPackage({
    file,
    sha256: '0'.repeat(64),
    target,
    signaturePolicy: 'off',
    trustedCertificates: [],
    nowMs: Date.now(),
  });
  return { target, unpacked };
}

test('settings, memory and interface of a bundle are kept; a bundle without them has none', async (t) => {
  const { unpacked } = await unpack(t, withBundle(withSettings(SETTINGS)));
  const [bundle] = unpacked.bundles;
  assert.deepEqual([bundle?.settings, bundle?.memoryMib, bundle?.interfaceVersion], [SETTINGS, 256, 2]);
  const plain = (await unpack(t, buildPackage(demo))).unpacked.bundles[0] ?? assert.fail('it has one');
  assert.deepEqual(
    ['settings', 'memoryMib', 'interfaceVersion'].filter((key) => key in plain),
    [],
  );
});

test('German words of a bundle go with the settings that they describe', async (t) => {
  const words = { title: 'Sender', properties: { url: { title: 'Adresse', description: 'Wohin' } } };
  const { unpacked } = await unpack(t, withBundle(withSettings(SETTINGS, JSON.stringify(words))));
  assert.deepEqual(unpacked.bundles[0]?.settings, {
    type: 'object',
    'x-de': { title: 'Sender' },
    properties: { url: { type: 'string', 'x-de': { title: 'Adresse', description: 'Wohin' } } },
  });
});

test('a package is unpacked to resources, runnable bundles, and bundle archives without a main module', async (t) => {
  const { target, unpacked } = await unpack(t, buildPackage(demo));
  const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const found = files
    .map(({ parentPath, name }) => path.relative(target, path.join(parentPath, name)))
    .sort();
  assert.deepEqual(found, [
    'archives/org.example.java.jar',
    'bundles/com.example.pump/META-INF/MANIFEST.MF',
    'bundles/com.example.pump/main.mjs',
    'resources/conf/settings.xml',
  ]);
  assert.deepEqual(
    unpacked.files.map((file) => file.path),
    found,
  );
  for (const file of found) assert.equal(statSync(path.join(target, file)).mode & 0o777, 0o600, file);
  assert.equal(readFileSync(path.join(target, 'bundles/com.example.pump/main.mjs'), 'utf8'), pump.main);
  assert.deepEqual(
    unpacked.bundles.map(({ symbolicName, main, permissions }) => [symbolicName, main, permissions]),
    [
      ['com.example.pump', 'main.mjs', 'net'],
      ['org.example.java', undefined, ''],
    ],
  );
});

test('files of build tools beside the manifest, and translations, are accepted', async (t) => {
  const [manifest, ...others] = listPackageParts(demo);
  assert.ok(manifest);
  const { unpacked } = await unpack(
    t,
    buildZip([
      { name: 'META-INF/', isCompressed: false },
      manifest,
      { name: 'META-INF/maven/pom.xml', content: '<a/>' },
      { name: 'OSGI-INF/l10n/bundle.properties', content: 'a=b' },
      ...others,
    ]),
  );
  assert.equal(unpacked.files.length, 4);
});

function withManifest(change: (text: string) => string, parts = listPackageParts(demo)): Buffer {
  const [manifest, ...others] = parts;
  const text = Buffer.from(manifest?.content ?? '').toString();
  return buildZip([{ name: 'META-INF/MANIFEST.MF', content: change(text) }, ...others]);
}

function withBundle(bytes: Uint8Array): Buffer {
  const parts = listPackageParts({ symbolicName: 'demo', bundles: [pump] });
  return buildZip(
    parts.map((part): ZipPart => {
      const content = part.name === 'com.example.pump_1.0.0.jar' ? bytes : (part.content ?? '');
      return { name: part.name, content, isCompressed: false };
    }),
  );
}

function reorder(...names: readonly string[]): Buffer {
  const parts = listPackageParts(demo);
  const found = names.map((name) => parts.find((part) => String(part.name).includes(name)));
  return buildZip(found.filter((part) => part !== undefined));
}

const REFUSED: readonly (readonly [what: string, reason: DeploymentReason, bytes: () => Buffer])[] = [
  ['text instead of an archive', 'NOT_A_JAR', () => Buffer.from('text')],
  ['no manifest', 'ORDER_ERROR', () => buildZip([{ name: 'a' }])],
  ['a manifest that is not first', 'ORDER_ERROR', () => reorder('pump', 'MANIFEST', 'java', 'conf')],
  ['a resource before a bundle', 'ORDER_ERROR', () => reorder('MANIFEST', 'pump', 'conf', 'java')],
  [
    'no name',
    'MISSING_HEADER',
    () => withManifest((text) => text.replace('Package-SymbolicName', 'Package-Name')),
  ],
  [
    'no version',
    'MISSING_HEADER',
    () => withManifest((text) => text.replace('Package-Version', 'Package-V')),
  ],
  [
    'an invalid name',
    'BAD_HEADER',
    () => withManifest((text) => text.replace('Name: demo', 'Name: ../demo')),
  ],
  [
    'a bundle with an unknown permission',
    'BAD_HEADER',
    () => buildPackage({ symbolicName: 'demo', bundles: [{ ...ROOT_BUNDLE, permissions: 'net, root' }] }),
  ],
  [
    'a bundle with unknown identities',
    'BAD_HEADER',
    () => buildPackage({ symbolicName: 'demo', bundles: [{ ...ROOT_BUNDLE, identities: 'all' }] }),
  ],
  [
    'a bundle for a later version of the interface',
    'BAD_HEADER',
    () => withBundle(buildBundle({ ...pump, headers: { 'Penstock-Interface': '99' } })),
  ],
  [
    'a bundle that requests too much memory',
    'BAD_HEADER',
    () => withBundle(buildBundle({ ...pump, headers: { 'Penstock-Memory': '4096' } })),
  ],
  [
    'a bundle without the schema of its settings',
    'BAD_HEADER',
    () => withBundle(buildBundle({ ...pump, headers: { 'Penstock-Settings': 'settings.json' } })),
  ],
  ['a settings schema that is not JSON', 'BAD_HEADER', () => withBundle(withSettings('{'))],
  [
    'a settings schema with unsupported keywords',
    'BAD_HEADER',
    () =>
      withBundle(withSettings({ type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } })),
  ],
  ['German words that are not JSON', 'BAD_HEADER', () => withBundle(withSettings(SETTINGS, '{'))],
  [
    'German words for a setting that is none',
    'BAD_HEADER',
    () => withBundle(withSettings(SETTINGS, '{"properties":{"urls":{"title":"Adressen"}}}')),
  ],
  ['an invalid version', 'BAD_HEADER', () => withManifest((text) => text.replace('1.0.0', 'one'))],
  [
    'an invalid fix pack range',
    'BAD_HEADER',
    () => buildPackage({ ...demo, headers: { 'DeploymentPackage-FixPack': 'x' } }),
  ],
  [
    'an invalid required storage',
    'BAD_HEADER',
    () => buildPackage({ ...demo, headers: { 'DeploymentPackage-RequiredStorage': 'x' } }),
  ],
  [
    'a bundle without a version',
    'MISSING_HEADER',
    () => withManifest((text) => text.replace('Bundle-Version', 'Bundle-V')),
  ],
  [
    'a repeated bundle',
    'BAD_HEADER',
    () => buildPackage({ ...demo, bundles: [pump, { ...pump, version: '2' }] }),
  ],
  [
    'an entry without a section',
    'MISSING_HEADER',
    () => buildZip([...listPackageParts(demo), { name: 'more' }]),
  ],
  ['a section of a bundle that it lacks', 'MISSING_BUNDLE', () => reorder('MANIFEST', 'java', 'conf')],
  ['a section of a resource that it lacks', 'MISSING_RESOURCE', () => reorder('MANIFEST', 'pump', 'java')],
  [
    'a missing bundle and no fix pack range',
    'BAD_HEADER',
    () => buildPackage({ symbolicName: 'demo', missingBundles: [pump] }),
  ],
  ['a bundle that is not an archive', 'NOT_A_JAR', () => withBundle(Buffer.from('text'))],
  ['a bundle without a manifest', 'NOT_A_JAR', () => withBundle(buildZip([{ name: 'a' }]))],
  [
    'a bundle whose name differs from its section',
    'BUNDLE_NAME_ERROR',
    () => withBundle(buildBundle({ symbolicName: 'other' })),
  ],
  [
    'a bundle whose version differs from its section',
    'BUNDLE_NAME_ERROR',
    () => withBundle(buildBundle({ ...pump, version: '1.0.1' })),
  ],
  [
    'a bundle whose manifest has no name',
    'MISSING_HEADER',
    () => withBundle(buildZip([{ name: 'META-INF/MANIFEST.MF', content: writeSection({ a: 'b' }) }])),
  ],
  [
    'a bundle with a file name that leads to the parent folder',
    'NOT_A_JAR',
    () => withBundle(buildBundle({ ...pump, files: { '../a.mjs': '' } })),
  ],
  [
    'a bundle with an invalid file name',
    'NOT_A_JAR',
    () => withBundle(buildBundle({ ...pump, files: { 'a b.mjs': '' } })),
  ],
  [
    'a missing main module',
    'BAD_HEADER',
    () => withBundle(buildBundle({ ...pump, headers: { 'Penstock-Main': 'none.mjs' } })),
  ],
  [
    'a main module outside the bundle',
    'BAD_HEADER',
    () => withBundle(buildBundle({ ...pump, headers: { 'Penstock-Main': '../main.mjs' } })),
  ],
  [
    'bundles whose unpacked size is too large',
    'NOT_A_JAR',
    () => buildPackage({ symbolicName: 'demo', bundles: [1, 2].map(toLargeBundle) }),
  ],
  ['a wrong checksum', 'NOT_A_JAR', () => buildZip(withWrongChecksum())],
  [
    'damaged content',
    'NOT_A_JAR',
    () => damage(buildPackage({ ...demo, resources: { a: 'content '.repeat(100) } })),
  ],
];

/** Returns a bundle of 150 files of 1 MiB, whose short repeated text stays below the limit of the compression ratio. */
function toLargeBundle(number: number) {
  const random = Buffer.alloc(1_048_576, (number * 7919).toString(36));
  const pieces = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`a${index}`, random]));
  return { symbolicName: `large.${number}`, main: '', files: pieces };
}

function withWrongChecksum(): readonly ZipPart[] {
  const resources = { a: 'content' };
  return listPackageParts({ symbolicName: 'demo', resources }).map((part): ZipPart => {
    const { name, content = '' } = part;
    return name === 'a' ? { name, content, local: { crc32: 1 }, central: { crc32: 1 } } : { name, content };
  });
}

/** Changes a byte of the last packed content. */
function damage(bytes: Buffer): Buffer {
  const at = bytes.indexOf('PK\x01\x02') - 5;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  return bytes;
}

for (const [what, reason, bytes] of REFUSED) {
  test(`a package with ${what} is refused with ${DEPLOYMENT_CODES[reason]}`, async (t) => {
    await assert.rejects(unpack(t, bytes()), { reason });
  });
}
